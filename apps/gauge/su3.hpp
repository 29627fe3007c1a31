// SPDX-License-Identifier: BSD-3-Clause
// Matrices of three rows and columns, those of SU(3) among them.
#pragma once

#include <array>
#include <cmath>
#include <complex>

namespace weft::apps {

using Number = std::complex<double>;

/// By real and imaginary parts: std::complex also looks for infinities.
inline Number times(Number a, Number b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

struct Matrix3 {
  std::array<Number, 9> m{};

  Number& operator()(std::size_t i, std::size_t j) { return m[3 * i + j]; }
  Number operator()(std::size_t i, std::size_t j) const { return m[3 * i + j]; }
  static Matrix3 one() {
    Matrix3 result;
    for (std::size_t i = 0; i < 3; ++i) result(i, i) = 1;
    return result;
  }
  Matrix3& operator+=(const Matrix3& other) {
    for (std::size_t i = 0; i < 9; ++i) m[i] += other.m[i];
    return *this;
  }
  Matrix3& operator-=(const Matrix3& other) {
    for (std::size_t i = 0; i < 9; ++i) m[i] -= other.m[i];
    return *this;
  }
};

inline Matrix3 operator*(const Matrix3& a, const Matrix3& b) {
  Matrix3 c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      c(i, j) = times(a(i, 0), b(0, j)) + times(a(i, 1), b(1, j)) + times(a(i, 2), b(2, j));
  return c;
}
inline Matrix3 operator*(double factor, Matrix3 a) {
  for (Number& each : a.m) each *= factor;
  return a;
}
inline Matrix3 adjoint(const Matrix3& a) {
  Matrix3 c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) c(i, j) = std::conj(a(j, i));
  return c;
}
inline double real_trace(const Matrix3& a) {
  return a(0, 0).real() + a(1, 1).real() + a(2, 2).real();
}

/// The nearest rows that are orthonormal, by Gram and Schmidt, and determinant 1.
inline Matrix3 reunitarized(Matrix3 u) {
  const auto normalize = [&](std::size_t row) {
    double sum = 0;
    for (std::size_t j = 0; j < 3; ++j) sum += std::norm(u(row, j));
    for (std::size_t j = 0; j < 3; ++j) u(row, j) /= std::sqrt(sum);
  };
  normalize(0);
  Number along = 0;
  for (std::size_t j = 0; j < 3; ++j) along += times(std::conj(u(0, j)), u(1, j));
  for (std::size_t j = 0; j < 3; ++j) u(1, j) -= times(along, u(0, j));
  normalize(1);
  for (std::size_t j = 0; j < 3; ++j) {
    const std::size_t k = (j + 1) % 3, l = (j + 2) % 3;
    u(2, j) = std::conj(times(u(0, k), u(1, l)) - times(u(0, l), u(1, k)));
  }
  return u;
}

/// The largest element of |U U^+ - 1|, and |det U - 1|.
inline double distance_from_su3(const Matrix3& u) {
  Matrix3 rest = u * adjoint(u);
  rest -= Matrix3::one();
  double most = 0;
  for (const Number& each : rest.m) most = std::max(most, std::abs(each));
  Number determinant = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    const std::size_t k = (j + 1) % 3, l = (j + 2) % 3;
    determinant += times(u(0, j), times(u(1, k), u(2, l)) - times(u(1, l), u(2, k)));
  }
  return std::max(most, std::abs(determinant - 1.0));
}

/// A minus its adjoint, without trace: an element of the algebra su(3).
inline Matrix3 algebra_part(const Matrix3& a) {
  Matrix3 c = a;
  c -= adjoint(a);
  const Number third = (c(0, 0) + c(1, 1) + c(2, 2)) / 3.0;
  for (std::size_t i = 0; i < 3; ++i) c(i, i) -= third;
  return c;
}

/// exp of an element of the algebra: Taylor's series of A / 2^n, squared n times.
inline Matrix3 exponential(Matrix3 a) {
  double norm = 0;
  for (const Number& each : a.m) norm += std::norm(each);
  int halvings = 0;
  for (double size = std::sqrt(norm); size > 0.25; size /= 2) ++halvings;
  a = std::ldexp(1.0, -halvings) * a;
  Matrix3 sum = Matrix3::one(), term = sum;
  for (int order = 1; order <= 10; ++order) {
    term = (1.0 / order) * (term * a);
    sum += term;
  }
  for (; halvings > 0; --halvings) sum = sum * sum;
  return reunitarized(sum);
}

/// The algebra as eight real numbers: off-diagonal elements, and two of the diagonal.
inline std::array<double, 8> coordinates(const Matrix3& a) {
  return {a(0, 1).real(), a(0, 1).imag(), a(0, 2).real(), a(0, 2).imag(),
          a(1, 2).real(), a(1, 2).imag(), a(0, 0).imag(), a(1, 1).imag()};
}
inline Matrix3 from_coordinates(const std::array<double, 8>& x) {
  Matrix3 a;
  a(0, 1) = {x[0], x[1]}, a(0, 2) = {x[2], x[3]}, a(1, 2) = {x[4], x[5]};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < i; ++j) a(i, j) = -std::conj(a(j, i));
  a(0, 0) = {0, x[6]}, a(1, 1) = {0, x[7]}, a(2, 2) = {0, -x[6] - x[7]};
  return a;
}

}  // namespace weft::apps
