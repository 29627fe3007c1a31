// SPDX-License-Identifier: BSD-3-Clause
#include "global/line_twiddles.hpp"

#include "base/index.hpp"
#include "base/roots.hpp"

namespace weft::global {

RootPowers::RootPowers(Index n, Direction direction) : n_(n) {
  while ((Index{1} << (2 * shift_)) < n) ++shift_;
  mask_ = (Index{1} << shift_) - 1;
  const auto root = [&](Index e) {
    const auto w = root_of_unity(n, e);
    const double imag = static_cast<double>(w.imag());
    return std::complex<double>(static_cast<double>(w.real()),
                                direction == Direction::forward ? imag : -imag);
  };
  for (Index e = 0; e <= mask_; ++e) low_.push_back(root(e));
  for (Index e = 0; e < n; e += mask_ + 1) high_.push_back(root(e));
}

template <class Real>
void LineTwiddles::multiply_as(const Box& box, std::byte* data, const reshape::Strides& strides,
                               int axis) const {
  const auto a = static_cast<std::size_t>(axis);
  const Index rows = box.extent(axis), columns = box.extent(axis + 1), n = roots_.n();
  const auto matrix = [&](std::complex<Real>* x) {
    for (Index i = 0; i < rows; ++i) {
      const Index p = box.begin[a] + i;
      Index e = multiply_mod(p, box.begin[a + 1], n);
      for (Index j = 0; j < columns; ++j) {
        const std::complex<double> w = roots_(e);
        std::complex<Real>& element = x[i * strides[a] + j * strides[a + 1]];
        const double re = static_cast<double>(element.real());
        const double im = static_cast<double>(element.imag());
        element = {static_cast<Real>(re * w.real() - im * w.imag()),
                   static_cast<Real>(re * w.imag() + im * w.real())};
        e += p;
        if (e >= n) e -= n;
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
