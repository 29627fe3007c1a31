// SPDX-License-Identifier: BSD-3-Clause
// Functions for SpectralOperator that are used often. Wave numbers come from the lengths that the
// operator was made with; `axes` is its number of transformed axes.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "weft/spectral.hpp"

namespace weft::spectral {

namespace detail {
/// A number as an expression can have it, to the last digit.
inline std::string text_of(double number) {
  if (std::isnan(number)) return "(0/0)";
  if (std::isinf(number)) return number > 0 ? "(1/0)" : "(-1/0)";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  return "(" + std::string(text, end) + ")";
}
/// What a GPU does instead: an expression, "" where the axes have no letters.
inline ModeForm as_text(std::string text) {
  ModeForm form;
  form.text = std::move(text);
  return form;
}
constexpr int lettered_axes = 4;
/// "dx", "dy", ...
inline std::string derivative_text(int axis) {
  return axis < 0 || axis >= lettered_axes ? "" : std::string("d") + "xyzw"[axis];
}
/// Terms term(0) to term(axes - 1) with something between them.
template <class Term>
std::string joined(int axes, const char* between, const Term& term) {
  std::string text;
  for (int a = 0; a < axes && a < lettered_axes; ++a) text += (a > 0 ? between : "") + term(a);
  return text;
}
/// The function with a text, if letters reach for its axes.
inline ModeFunction with_text(ModeFunction function, int axes, std::string text) {
  if (axes < 1 || axes > lettered_axes) return function;
  return std::move(function).on_gpus(as_text(std::move(text)));
}
/// i k u for derivatives of odd order.
template <class Real>
std::complex<Real> times_i(Real k, std::complex<Real> u) {
  return {-k * u.imag(), k * u.real()};
}
/// By real and imaginary parts: std::complex also looks for infinities.
inline float product(float a, float b) { return a * b; }
inline double product(double a, double b) { return a * b; }
template <class Real>
std::complex<Real> product(std::complex<Real> a, Real b) {
  return {a.real() * b, a.imag() * b};
}
template <class Real>
std::complex<Real> product(std::complex<Real> a, std::complex<Real> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
/// Throws weft::Error unless there is a number for every mode of the shape.
inline void check_multipliers(std::size_t count, const std::vector<Index>& shape) {
  Index modes = 1;
  for (Index extent : shape) modes *= extent;
  if (modes == static_cast<Index>(count)) return;
  throw Error(ErrorCode::invalid_argument, "there are " + std::to_string(count) +
                                               " multipliers for a spectrum of " +
                                               std::to_string(modes) + " modes; give one per mode");
}
/// Every mode of field 0 times factors[d][i] for all of its indices: one list per dimension, of the
/// tile's indices; an empty list stands for ones.
template <class Real, class Factor>
void multiply_rows(const ModeTile<Real>& tile, const std::vector<std::vector<Factor>>& factors) {
  if (tile.dimensions.empty()) return;
  const auto& last = tile.dimensions.back();
  const std::vector<Factor> ones(factors.back().empty() ? static_cast<std::size_t>(last.extent) : 0,
                                 Factor{1});
  const Factor* row = ones.empty() ? factors.back().data() : ones.data();
  tile.for_each_row([&](std::span<const Index> index, Index at) {
    Factor outer{1};
    for (std::size_t d = 0; d + 1 < index.size(); ++d)
      if (!factors[d].empty())
        outer = product(outer, factors[d][static_cast<std::size_t>(index[d])]);
    std::complex<Real>* u = tile.fields[0] + at;
    for (Index i = 0; i < last.extent; ++i, u += last.stride)
      *u = product(*u, product(outer, row[i]));
  });
}
/// The same with factor(axis, k, odd), which is called once per index of each transformed axis.
template <class Real, class Function>
void multiply_separably(const ModeTile<Real>& tile, const Function& factor) {
  std::vector<std::vector<decltype(factor(0, Real{}, Real{}))>> factors(tile.dimensions.size());
  for (std::size_t d = 0; d < factors.size(); ++d) {
    const auto& dimension = tile.dimensions[d];
    for (Index i = 0; dimension.axis >= 0 && i < dimension.extent; ++i)
      factors[d].push_back(factor(dimension.axis, dimension.k[i], dimension.odd[i]));
  }
  multiply_rows(tile, factors);
}
template <class Real>
ModeForm as_multipliers(std::span<const std::complex<Real>> multipliers,
                        const std::vector<Index>& shape, bool is_conjugate) {
  ModeForm form;
  form.multipliers = multipliers.data();
  form.precision = ScalarTraits<Real>::precision;
  form.is_conjugate = is_conjugate;
  form.shape = shape;
  return form;
}
/// Every mode of field 0 times change(number of its index in the spectrum of `shape`).
template <class Real, class Change>
void multiply_by_array(const ModeTile<Real>& tile, const std::complex<Real>* multipliers,
                       const std::vector<Index>& shape, const Change& change) {
  const auto& last = tile.dimensions.back();
  tile.for_each_row([&](std::span<const Index> index, Index at) {
    Index first = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
      first = first * shape[d] + tile.dimensions[d].begin + index[d];
    const std::complex<Real>* m = multipliers + first;
    std::complex<Real>* u = tile.fields[0] + at;
    if (last.stride == 1)
      for (Index i = 0; i < last.extent; ++i) u[i] = product(u[i], change(m[i]));
    else
      for (Index i = 0; i < last.extent; ++i, u += last.stride) *u = product(*u, change(m[i]));
  });
}
}  // namespace detail

/// The sum of second derivatives.
inline ModeFunction laplacian() {
  return at_every_mode([](const auto& wave, auto u) { u[0] *= -wave.squared(); })
      .on_gpus(detail::as_text("-k2*u0"));
}

/// Solves laplacian(x) = u. The mean of u has no solution; the mean of the result is 0.
inline ModeFunction inverse_laplacian() {
  return at_every_mode([](const auto& wave, auto u) {
           const auto k2 = wave.squared();
           u[0] *= k2 == 0 ? k2 : -1 / k2;
         })
      .on_gpus(detail::as_text("where(k2 == 0, 0, -1/k2)*u0"));
}

/// (-laplacian)^power; for negative powers the mean becomes 0.
inline ModeFunction fractional_laplacian(double power) {
  return at_every_mode([power](const auto& wave, auto u) {
           using Real = std::remove_cvref_t<decltype(wave.squared())>;
           const Real k2 = wave.squared();
           u[0] *= k2 == 0 && power < 0 ? Real{0} : std::pow(k2, static_cast<Real>(power));
         })
      .on_gpus(detail::as_text((power < 0 ? "where(k2 == 0, 0, k2^" : "(k2^") +
                               detail::text_of(power) + ")*u0"));
}

/// The derivative along one transformed axis.
inline ModeFunction derivative(int axis) {
  return detail::with_text(at_every_mode([axis](const auto& wave, auto u) {
                             u[0] = detail::times_i(wave.odd[static_cast<std::size_t>(axis)], u[0]);
                           }),
                           axis + 1, detail::derivative_text(axis) + "*u0");
}

/// One field in, `axes` fields out: the derivatives along each axis.
inline ModeFunction gradient(int axes) {
  return detail::with_text(
      at_every_mode(
          [axes](const auto& wave, auto u) {
            for (int a = axes; a-- > 0;)  // u[0] is read by all
              u[a] = detail::times_i(wave.odd[static_cast<std::size_t>(a)], u[0]);
          },
          1, axes),
      axes, detail::joined(axes, "; ", [](int a) { return detail::derivative_text(a) + "*u0"; }));
}

/// `axes` fields in, one out.
inline ModeFunction divergence(int axes) {
  return detail::with_text(at_every_mode(
                               [axes](const auto& wave, auto u) {
                                 auto sum = detail::times_i(wave.odd[0], u[0]);
                                 for (int a = 1; a < axes; ++a)
                                   sum +=
                                       detail::times_i(wave.odd[static_cast<std::size_t>(a)], u[a]);
                                 u[0] = sum;
                               },
                               axes, 1),
                           axes, detail::joined(axes, " + ", [](int a) {
                             return detail::derivative_text(a) + "*u" + std::to_string(a);
                           }));
}

/// Three fields in, three out; the axes are x, y, z in the order of the transform.
inline ModeFunction curl() {
  return at_every_mode(
             [](const auto& wave, auto u) {
               const auto& k = wave.odd;
               const auto x = detail::times_i(k[1], u[2]) - detail::times_i(k[2], u[1]);
               const auto y = detail::times_i(k[2], u[0]) - detail::times_i(k[0], u[2]);
               const auto z = detail::times_i(k[0], u[1]) - detail::times_i(k[1], u[0]);
               u[0] = x, u[1] = y, u[2] = z;
             },
             3, 3)
      .on_gpus(detail::as_text("dy*u2 - dz*u1; dz*u0 - dx*u2; dx*u1 - dy*u0"));
}

/// The part of a vector field without divergence: u - k (k . u) / k^2.
inline ModeFunction projection(int axes) {
  const auto odd = [](int a) { return "imag(" + detail::derivative_text(a) + ")"; };
  const std::string square = detail::joined(axes, " + ", [&](int a) { return odd(a) + "^2"; });
  const std::string along =
      detail::joined(axes, " + ", [&](int a) { return odd(a) + "*u" + std::to_string(a); });
  std::string text = detail::joined(axes, "; ", [&](int a) {
    return "u" + std::to_string(a) + " - where(" + square + " == 0, 0, " + odd(a) + "/(" + square +
           "))*(" + along + ")";
  });
  return detail::with_text(at_every_mode(
                               [axes](const auto& wave, auto u) {
                                 auto k2 = wave.odd[0] * wave.odd[0];
                                 auto along = wave.odd[0] * u[0];
                                 for (int a = 1; a < axes; ++a) {
                                   const auto k = wave.odd[static_cast<std::size_t>(a)];
                                   k2 += k * k;
                                   along += k * u[a];
                                 }
                                 if (k2 == 0) return;
                                 along *= 1 / k2;
                                 for (int a = 0; a < axes; ++a)
                                   u[a] -= wave.odd[static_cast<std::size_t>(a)] * along;
                               },
                               axes, axes),
                           axes, std::move(text));
}

/// Convolution with a Gaussian of standard deviation `sigma`.
inline ModeFunction gaussian_filter(double sigma) {
  ModeFunction function{[half = sigma * sigma / 2]<class Real>(const ModeTile<Real>& tile) {
    detail::multiply_separably(tile, [half](int, Real k, Real) {
      return static_cast<Real>(std::exp(-half * static_cast<double>(k) * static_cast<double>(k)));
    });
  }};
  return std::move(function).on_gpus(
      detail::as_text("exp(-" + detail::text_of(sigma * sigma / 2) + "*k2)*u0"));
}

/// Keeps the modes with |k| <= largest.
inline ModeFunction sharp_filter(double largest) {
  return at_every_mode([largest](const auto& wave, auto u) {
           using Real = std::remove_cvref_t<decltype(wave.squared())>;
           if (wave.squared() > static_cast<Real>(largest * largest)) u[0] = 0;
         })
      .on_gpus(detail::as_text("where(k2 > " + detail::text_of(largest * largest) + ", 0, u0)"));
}

/// Moves the field by `distances`, one per axis: the result at x is the field at x - distance.
/// Modes whose sign is unknown (n/2) keep their place.
inline ModeFunction shift(std::vector<double> distances) {
  ModeForm form;
  form.factor_of_axis = [distances](int axis, double odd) {
    const auto a = static_cast<std::size_t>(axis);
    return std::polar(1.0, a < distances.size() ? -odd * distances[a] : 0.0);
  };
  ModeFunction function{[distances = std::move(distances)]<class Real>(const ModeTile<Real>& tile) {
    detail::multiply_separably(tile, [&](int axis, Real, Real odd) {
      const auto a = static_cast<std::size_t>(axis);
      const double phase = a < distances.size() ? -static_cast<double>(odd) * distances[a] : 0.0;
      return std::complex<Real>(static_cast<Real>(std::cos(phase)),
                                static_cast<Real>(std::sin(phase)));
    });
  }};
  return std::move(function).on_gpus(std::move(form));
}

/// Every mode times the number of `multipliers` that has its index in the spectrum (row-major, of
/// SpectralOperator::spectrum_shape()). With the spectrum of a kernel this is the convolution with
/// it. The array is not copied: keep it while the operator lives.
template <class Real>
ModeFunction multiply(std::span<const std::complex<Real>> multipliers, std::vector<Index> shape) {
  detail::check_multipliers(multipliers.size(), shape);
  ModeForm form = detail::as_multipliers(multipliers, shape, false);
  ModeFunction function{[multipliers, shape = std::move(shape)](const ModeTile<Real>& tile) {
    detail::multiply_by_array(tile, multipliers.data(), shape,
                              [](std::complex<Real> number) { return number; });
  }};
  return std::move(function).on_gpus(std::move(form));
}

/// The same with the conjugate multipliers: correlation.
template <class Real>
ModeFunction multiply_conjugate(std::span<const std::complex<Real>> multipliers,
                                std::vector<Index> shape) {
  detail::check_multipliers(multipliers.size(), shape);
  ModeForm form = detail::as_multipliers(multipliers, shape, true);
  ModeFunction function{[multipliers, shape = std::move(shape)](const ModeTile<Real>& tile) {
    detail::multiply_by_array(tile, multipliers.data(), shape,
                              [](std::complex<Real> number) { return std::conj(number); });
  }};
  return std::move(function).on_gpus(std::move(form));
}

/// Every mode times multipliers[d][i] for each of its indices i: one list per dimension of the
/// spectrum, each as long as the spectrum there, or empty for ones.
template <class Real>
ModeFunction multiply_separable(std::vector<std::vector<std::complex<Real>>> multipliers,
                                const std::vector<Index>& shape) {
  if (multipliers.size() != shape.size())
    throw Error(ErrorCode::invalid_argument,
                "there are " + std::to_string(multipliers.size()) + " lists of multipliers for " +
                    std::to_string(shape.size()) + " dimensions; give one per dimension");
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (!multipliers[d].empty()) detail::check_multipliers(multipliers[d].size(), {shape[d]});
  ModeForm form;
  form.shape = shape;
  for (const auto& list : multipliers) form.factors.emplace_back(list.begin(), list.end());
  ModeFunction function{[multipliers = std::move(multipliers)](const ModeTile<Real>& tile) {
    std::vector<std::vector<std::complex<Real>>> factors(tile.dimensions.size());
    for (std::size_t d = 0; d < factors.size(); ++d)
      if (!multipliers[d].empty()) {
        const auto first = multipliers[d].begin() + tile.dimensions[d].begin;
        factors[d].assign(first, first + tile.dimensions[d].extent);
      }
    detail::multiply_rows(tile, factors);
  }};
  return std::move(function).on_gpus(std::move(form));
}

}  // namespace weft::spectral
