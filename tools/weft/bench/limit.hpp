// SPDX-License-Identifier: BSD-3-Clause
// How fast a row could be at best: what the memory and the arithmetic of this machine allow.
#pragma once

#include <map>
#include <tuple>

#include "bench/rows.hpp"

namespace weft::tool {

/// Measures what it needs once per level of memory, kind, precision and number of threads.
class Limits {
 public:
  /// Seconds: the greater of the row's passes over its arrays at copy speed, and its nominal
  /// operations at the speed of 256-point lines in the second cache. Arrays beyond the caches are
  /// passed over twice, unless their lines are short; others once.
  double seconds(const Row& row);

 private:
  double copy_speed(double bytes, int threads);
  double arithmetic_speed(const Row& row);

  std::map<std::tuple<int, int>, double> copies_;             // by level and threads
  std::map<std::tuple<Kind, Precision, int>, double> rates_;  // by kind, precision, threads
};

}  // namespace weft::tool
