// SPDX-License-Identifier: BSD-3-Clause
#include "reference_transform.hpp"

#include <cmath>
#include <complex>

#include "base/index.hpp"
#include "base/reference_dft.hpp"
#include "problem/request.hpp"

namespace weft::tool {
namespace {

using Number = std::complex<long double>;
using Line = std::vector<Number>;

/// Index j of x stands at (2 j + before) / 2 and index k of the result at (2 k + after) / 2 of
/// cosines or sines with `points` half waves; x[single] counts once, all others twice.
struct Trigonometric {
  bool is_sine;
  Index points, before, after;
  Index single[2] = {-1, -1};
};

Trigonometric trigonometric(R2r kind, Index n) {
  switch (kind) {
    case R2r::dct1: return {false, n - 1, 0, 0, {0, n - 1}};
    case R2r::dct2: return {false, n, 1, 0};
    case R2r::dct3: return {false, n, 0, 1, {0, -1}};
    case R2r::dct4: return {false, n, 1, 1};
    case R2r::dst1: return {true, n + 1, 2, 2};
    case R2r::dst2: return {true, n, 1, 2};
    case R2r::dst3: return {true, n, 2, 1, {n - 1, -1}};
    default: return {true, n, 1, 1};
  }
}

Line half_to_real(const Line& half, Index n) {
  Line full(static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k) {
    const bool is_mirror = k > n / 2;
    Number v = half[static_cast<std::size_t>(is_mirror ? n - k : k)];
    if (k == 0 || 2 * k == n) v = v.real();
    full[static_cast<std::size_t>(k)] = is_mirror ? std::conj(v) : v;
  }
  return reference_dft(full, Direction::backward);
}

/// pi (j + a) (k + b) / N is 2 pi p q / 8 N with p = 2 (j + a) and q = 2 (k + b): one DFT of a line
/// that is mostly zero.
Line real_to_real(R2r kind, const Line& x) {
  const Index n = static_cast<Index>(x.size());
  Line y;
  if (kind == R2r::dht) {
    for (const Number& v : reference_dft(x)) y.emplace_back(v.real() - v.imag());
    return y;
  }
  if (kind == R2r::r2hc) {
    const Line modes = reference_dft(x);
    for (Index k = 0; k < n; ++k) {
      const Number& v = modes[static_cast<std::size_t>(k)];
      y.emplace_back(2 * k <= n ? v.real() : -v.imag());  // mode k is the conjugate of mode n - k
    }
    return y;
  }
  if (kind == R2r::hc2r) {
    Line half;
    for (Index k = 0; 2 * k <= n; ++k)
      half.emplace_back(x[static_cast<std::size_t>(k)].real(),
                        k == 0 ? 0 : x[static_cast<std::size_t>(n - k)].real());
    return half_to_real(half, n);
  }
  const Trigonometric t = trigonometric(kind, n);
  Line sparse(static_cast<std::size_t>(8 * t.points));
  for (Index j = 0; j < n; ++j)
    sparse[static_cast<std::size_t>(2 * j + t.before)] =
        x[static_cast<std::size_t>(j)] * (j == t.single[0] || j == t.single[1] ? 1.0L : 2.0L);
  const Line spectrum = reference_dft(sparse);
  for (Index k = 0; k < n; ++k) {
    const Number v = spectrum[static_cast<std::size_t>(2 * k + t.after)];
    y.emplace_back(t.is_sine ? -v.imag() : v.real());
  }
  return y;
}

/// With the factors that make the matrix orthogonal, as SciPy has them.
Line orthogonal(R2r kind, Line x) {
  const long double root = std::sqrt(2.0L);
  const bool is_1 = kind == R2r::dct1;
  if (is_1 || kind == R2r::dct3) x.front() *= root;
  if (is_1 || kind == R2r::dst3) x.back() *= root;
  Line y = real_to_real(kind, x);
  if (is_1 || kind == R2r::dct2) y.front() /= root;
  if (is_1 || kind == R2r::dst2) y.back() /= root;
  return y;
}

struct Array {
  std::vector<Index> shape;
  Line values;

  /// Every line along the axis becomes `change` of it.
  template <class Change>
  void along(int axis, const Change& change) {
    Index outer = 1, inner = 1;
    for (std::size_t d = 0; d < shape.size(); ++d)
      (d < at(axis) ? outer : inner) *= d == at(axis) ? 1 : shape[d];
    const Index n = shape[at(axis)];
    Line line(static_cast<std::size_t>(n)), result;
    Index m = n;
    for (Index o = 0; o < outer; ++o)
      for (Index i = 0; i < inner; ++i) {
        for (Index j = 0; j < n; ++j)
          line[static_cast<std::size_t>(j)] =
              values[static_cast<std::size_t>((o * n + j) * inner + i)];
        const Line changed = change(line);
        m = static_cast<Index>(changed.size());
        result.resize(static_cast<std::size_t>(outer * m * inner));
        for (Index j = 0; j < m; ++j)
          result[static_cast<std::size_t>((o * m + j) * inner + i)] =
              changed[static_cast<std::size_t>(j)];
      }
    shape[at(axis)] = m;
    values = std::move(result);
  }
};

}  // namespace

std::vector<double> reference_transform(const Transform& transform, const std::vector<double>& in) {
  const problem::CheckedRequest request = problem::check_request(transform, {}, {});
  const Transform& t = request.transform;
  Array array;
  array.shape = request.problem.in_shape();
  const auto in_width = static_cast<std::size_t>(request.problem.in_width());
  for (std::size_t i = 0; i < in.size(); i += in_width)
    array.values.emplace_back(in[i], in_width == 2 ? in[i + 1] : 0.0);
  const int last = t.axes.back();
  if (t.kind == Kind::r2c)
    array.along(last, [](const Line& line) {
      Line half = reference_dft(line);
      half.resize(half.size() / 2 + 1);
      return half;
    });
  const Direction direction = t.kind == Kind::c2r   ? Direction::backward
                              : t.kind == Kind::r2c ? Direction::forward
                                                    : t.direction;
  for (std::size_t i = 0; i < t.axes.size(); ++i) {
    if (t.kind == Kind::r2r)
      array.along(t.axes[i], [&](const Line& line) {
        return t.orthogonalize ? orthogonal(t.r2r[i], line) : real_to_real(t.r2r[i], line);
      });
    else if (t.kind == Kind::c2c || t.axes[i] != last)
      array.along(t.axes[i], [&](const Line& line) { return reference_dft(line, direction); });
  }
  if (t.kind == Kind::c2r)
    array.along(last, [&](const Line& line) { return half_to_real(line, t.shape[at(last)]); });
  std::vector<double> out;
  for (const Number& v : array.values) {
    const Number scaled = static_cast<long double>(request.problem.scale) * v;
    out.push_back(static_cast<double>(scaled.real()));
    if (request.problem.out_width() == 2) out.push_back(static_cast<double>(scaled.imag()));
  }
  return out;
}

}  // namespace weft::tool
