// SPDX-License-Identifier: BSD-3-Clause
// What a recipe costs, in nanoseconds of one core: good enough to rank recipes, no better. Kernel
// costs come from operation counts and registers, memory costs from cache sizes and bandwidths.
#pragma once

#include "local/axis_engine.hpp"
#include "local/axis_recipe.hpp"

namespace weft::local {

/// The few numbers of a machine that the model uses.
struct MachineModel {
  double l1_bytes = 32 * 1024;
  double l2_bytes = 1024 * 1024;
  double l3_bytes = 16.0 * 1024 * 1024;  // what one core may count on
  double gigahertz = 3.0;
  double memory_bytes_per_ns = 12;  // one core, read plus written
};
const MachineModel& machine_model();

/// One kernel call on V lanes, in cycles; `twiddled` adds the complex multiplications.
double kernel_cycles(int radix, codelet::Isa isa, bool twiddled);
/// One lane transform of V lanes, in cycles, scratch traffic included.
double lane_cycles(const LaneRecipe& recipe, codelet::Isa isa, Precision precision);
/// All transforms of the problem, in nanoseconds on one core.
double axis_ns(const AxisRecipe& recipe, const AxisProblem& problem, Precision precision);

}  // namespace weft::local
