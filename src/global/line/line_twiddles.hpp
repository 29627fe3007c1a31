// SPDX-License-Identifier: BSD-3-Clause
// The factors between the two transforms of a line that was written as a matrix.
#pragma once

#include "base/roots.hpp"
#include "reshape/piece.hpp"
#include "weft/types.hpp"

namespace weft::global {

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

  RootPowers<double> roots_;
  Precision precision_;
};

}  // namespace weft::global
