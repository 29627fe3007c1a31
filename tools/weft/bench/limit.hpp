// SPDX-License-Identifier: BSD-3-Clause
// How fast a transform could be at best: what the memory and the arithmetic of this machine allow.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "bench/rows.hpp"
#include "weft/plan.hpp"

namespace weft::tool {

/// What the limit of a transform depends on.
struct Work {
  std::vector<Index> lengths;  ///< of the transformed axes
  double in_bytes = 0, out_bytes = 0;
  double flops = 0;  ///< nominal
  Kind kind = Kind::c2c;
  Precision precision = Precision::f64;
  int threads = 1;
  Place place = Place::out;
};
Work work_of(const Row& row);
Work work_of(const Plan& plan, int threads);  ///< out of place

/// Measures what it needs once per level of memory, kind, precision and number of threads.
class Limits {
 public:
  /// Seconds: the greater of the passes over the arrays at copy speed, and the nominal operations
  /// at the speed of 256-point lines in the second cache. Arrays beyond the caches are passed over
  /// twice, unless their lines are short; others once.
  double seconds(const Work& work);

 private:
  double copy_speed(double bytes, int threads);
  double arithmetic_speed(const Work& work);

  std::map<std::tuple<int, int>, double> copies_;             // by level and threads
  std::map<std::tuple<Kind, Precision, int>, double> rates_;  // by kind, precision, threads
};

}  // namespace weft::tool
