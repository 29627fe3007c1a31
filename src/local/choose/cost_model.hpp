// SPDX-License-Identifier: BSD-3-Clause
// What a recipe costs, in nanoseconds: good enough to rank recipes, no better. Arithmetic comes
// from operation counts and registers. Memory comes from cache lines: how many are brought in, from
// which level, and whether a line that is used in pieces is still there for its next piece.
#pragma once

#include "local/axis/axis_engine.hpp"
#include "local/axis/axis_recipe.hpp"
#include "local/choose/machine_model.hpp"

namespace weft::local {

/// Who does a problem, and where.
struct Setting {
  Precision precision = Precision::f64;  ///< of the arithmetic
  int threads = 1;                       ///< that run at the same time
  int workers = 1;        ///< threads that share this problem; the others have their own
  bool in_place = false;  ///< the output overwrites the input
  /// The arrays are not in any cache, however small the problem is: it is a tile of a larger one.
  bool from_memory = false;
};

/// One kernel call on V lanes, in cycles; `twiddled` adds the complex multiplications.
double kernel_cycles(int radix, codelet::Isa isa, bool twiddled, const MachineModel& machine);
/// How lanes are run: this many registers side by side.
struct LaneGroups {
  int count = 1;
  /// Bytes that pass through the caches meanwhile, scratch included, divided by those of scratch.
  double passing = 1;
};
/// One lane transform of V lanes among groups that run interleaved, in cycles, scratch traffic
/// included.
double lane_cycles(const LaneRecipe& recipe, codelet::Isa isa, Precision precision,
                   const MachineModel& machine, const LaneGroups& groups = {});
/// All transforms of the problem, in nanoseconds from start to end.
double axis_ns(const AxisRecipe& recipe, const AxisProblem& problem, const Setting& setting,
               const MachineModel& machine);

}  // namespace weft::local
