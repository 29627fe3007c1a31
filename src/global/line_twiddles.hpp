// SPDX-License-Identifier: BSD-3-Clause
// The factors between the two transforms of a line that was written as a matrix, and those of a
// chirp: powers of one root of unity, from two tables of about the square root of its order.
#pragma once

#include <complex>
#include <vector>

#include "reshape/piece.hpp"
#include "weft/types.hpp"

namespace weft::global {

/// exp(-2 pi i e / n), conjugated for the backward direction; 0 <= e < n.
class RootPowers {
 public:
  RootPowers(Index n, Direction direction);
  std::complex<double> operator()(Index e) const {
    const auto& h = high_[static_cast<std::size_t>(e >> shift_)];
    const auto& l = low_[static_cast<std::size_t>(e & mask_)];
    return {h.real() * l.real() - h.imag() * l.imag(), h.real() * l.imag() + h.imag() * l.real()};
  }
  Index n() const { return n_; }

 private:
  Index n_, mask_ = 0;
  int shift_ = 0;
  std::vector<std::complex<double>> high_, low_;
};

class LineTwiddles {
 public:
  LineTwiddles(Index n, Direction direction, Precision precision)
      : roots_(n, direction), precision_(precision) {}

  /// Element (p, q) of the box along axes `axis` and `axis` + 1 times w^(p q). `data` points at the
  /// element at box.begin; strides in elements.
  void multiply(const Box& box, std::byte* data, const reshape::Strides& strides, int axis) const;

 private:
  template <class Real>
  void multiply_as(const Box& box, std::byte* data, const reshape::Strides& strides,
                   int axis) const;

  RootPowers roots_;
  Precision precision_;
};

}  // namespace weft::global
