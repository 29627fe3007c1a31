// SPDX-License-Identifier: BSD-3-Clause
// Copies an array to other strides, in blocks where the two sides run along different dimensions.
#pragma once

#include <vector>

#include "base/index.hpp"
#include "local/axis/axis_engine.hpp"

namespace weft::local {

class ArrayCopy {
 public:
  /// Distances of the loops in bytes; elements of 2, 4, 8 or 16 bytes.
  ArrayCopy(std::vector<Loop> loops, Index element_bytes);

  /// Units of work that may run at the same time.
  Index units() const { return outer_.count() * ceil_div(rows_.count, block); }
  void run(Index begin, Index end, const char* in, char* out) const;

 private:
  static constexpr Index block = 32;

  template <class Element>
  void copy(Index begin, Index end, const char* in, char* out) const;

  Index element_bytes_;
  Loop rows_, columns_;  // columns are adjacent in the output, rows as near in the input as can be
  LoopIndex outer_;
};

}  // namespace weft::local
