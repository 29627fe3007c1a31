// SPDX-License-Identifier: BSD-3-Clause
// Iterates over the addresses of a Walk without divisions.
#pragma once

#include "fabric/wafer/program.hpp"

namespace weft::fabric {

class Walker {
 public:
  Walker() = default;
  explicit Walker(const Walk& walk) : walk_(walk), address_(walk.base), left_(walk.count()) {}

  std::int64_t left() const { return left_; }
  /// Returns the address of the next word and advances.
  std::int32_t next() {
    const std::int32_t here = address_ + word_;
    --left_;
    if (++word_ == walk_.run_words) {
      word_ = 0;
      for (std::size_t level = Walk::depth; level-- > 0;) {
        address_ += walk_.strides[level];
        if (++at_[level] < walk_.extents[level]) break;
        address_ -= walk_.strides[level] * walk_.extents[level];
        at_[level] = 0;
      }
    }
    return here;
  }

 private:
  Walk walk_;
  std::array<std::int32_t, Walk::depth> at_{};
  std::int32_t address_ = 0, word_ = 0;
  std::int64_t left_ = 0;
};

}  // namespace weft::fabric
