// SPDX-License-Identifier: BSD-3-Clause
#include "global/line/line_twiddles.hpp"

#include <algorithm>
#include <array>

#include "base/index.hpp"

namespace weft::global {

template <class Real>
void LineTwiddles::multiply_as(const Box& box, std::byte* data, const reshape::Strides& strides,
                               int axis) const {
  const auto a = static_cast<std::size_t>(axis);
  const Index rows = box.extent(axis), columns = box.extent(axis + 1), n = roots_.n();
  // A row in runs: w^(p (q + l)) is w^(p q) of the run times w^(p l), which all runs share.
  constexpr Index run = 64;
  std::array<double, run> share_re, share_im;
  const auto matrix = [&](std::complex<Real>* x) {
    for (Index i = 0; i < rows; ++i) {
      const Index p = box.begin[a] + i;
      for (Index l = 0; l < std::min(run, columns); ++l) {
        const std::complex<double> w = roots_(multiply_mod(p, l, n));
        share_re[static_cast<std::size_t>(l)] = w.real();
        share_im[static_cast<std::size_t>(l)] = w.imag();
      }
      for (Index q = 0; q < columns; q += run) {
        const std::complex<double> w = roots_(multiply_mod(p, box.begin[a + 1] + q, n));
        std::complex<Real>* row = x + i * strides[a] + q * strides[a + 1];
        const double w_re = w.real(), w_im = w.imag();
        for (Index l = 0; l < std::min(run, columns - q); ++l) {
          const auto s = static_cast<std::size_t>(l);
          const double c = share_re[s] * w_re - share_im[s] * w_im;
          const double d = share_re[s] * w_im + share_im[s] * w_re;
          auto* element = reinterpret_cast<Real*>(row + l * strides[a + 1]);
          const double re = static_cast<double>(element[0]), im = static_cast<double>(element[1]);
          element[0] = static_cast<Real>(re * c - im * d);
          element[1] = static_cast<Real>(re * d + im * c);
        }
      }
    }
  };
  // One matrix for every index along the other axes.
  std::array<Index, max_box_ndim> at{};
  while (true) {
    Index offset = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(box.ndim); ++d)
      if (d != a && d != a + 1) offset += at[d] * strides[d];
    matrix(reinterpret_cast<std::complex<Real>*>(data) + offset);
    int d = box.ndim - 1;
    for (; d >= 0; --d) {
      if (d == axis || d == axis + 1) continue;
      if (++at[static_cast<std::size_t>(d)] < box.extent(d)) break;
      at[static_cast<std::size_t>(d)] = 0;
    }
    if (d < 0) return;
  }
}

void LineTwiddles::multiply(const Box& box, std::byte* data, const reshape::Strides& strides,
                            int axis) const {
  if (box.empty()) return;
  if (precision_ == Precision::f64)
    multiply_as<double>(box, data, strides, axis);
  else
    multiply_as<float>(box, data, strides, axis);
}

}  // namespace weft::global
