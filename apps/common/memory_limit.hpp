// SPDX-License-Identifier: BSD-3-Clause
// The memory limit: the time that the passes over memory of transforms and operators must take at
// the measured copy speed. What else a program does (products at the points, charges, links, random
// numbers, messages) is not counted, so its time is above the limit.
#pragma once

#include <string>

#include "common/device.hpp"
#include "common/team.hpp"
#include "weft/plan.hpp"

namespace weft::apps {

/// Passes that read a field and write a field, over all ranks together.
struct Passes {
  double count = 0;
  double bytes = 0;  ///< read and written by all of them

  /// Of fields with so many bytes: each is read and written `count` times.
  static Passes over(double field_bytes, double count) { return {count, 2 * field_bytes * count}; }
  /// Of a plan for so many fields at once.
  static Passes of(const PlanCost& cost, double fields = 1) {
    return {fields * cost.passes, cost.bytes};
  }
  friend Passes operator+(const Passes& a, const Passes& b) {
    return {a.count + b.count, a.bytes + b.bytes};
  }
  friend Passes operator*(double times, const Passes& a) {
    return {times * a.count, times * a.bytes};
  }
};

/// Bytes read plus bytes written per second when all ranks copy at once, with all their threads: in
/// the cache that so many bytes of all ranks fit into, or in memory. Collective.
double copy_speed(const Team& team, double bytes);
/// The same of a GPU.
double device_copy_speed(double bytes);

/// Collective: "memory limit: 0.0407 s per step; 72 passes over 2.1 MiB at 25.3 GB/s would take
/// 0.0115 s: 3.54 times the memory limit".
struct Timed {
  std::string unit;    ///< "step"
  double seconds = 0;  ///< 0: nothing is said
  Passes passes;       ///< of its transforms and operators
  double in_use = 0;   ///< bytes that it goes through, on all ranks: whether caches hold them
};
void say_memory_limit(const Team& team, Where where, const Timed& timed);

}  // namespace weft::apps
