// SPDX-License-Identifier: BSD-3-Clause
// What lanes cost, in cycles: kernel calls and the scratch between them. cost_model.cpp adds the
// arrays; candidates.cpp chooses radices by it.
#pragma once

#include "local/choose/machine_model.hpp"
#include "local/lane/lane_recipe.hpp"

namespace weft::local {

/// Of every call of a kernel.
inline constexpr double call_cycles = 14;

/// One kernel call on V lanes; `twiddled` adds the complex multiplications.
double kernel_cycles(int radix, codelet::Isa isa, bool twiddled, const MachineModel& machine);

/// How lanes are run: this many registers side by side.
struct LaneGroups {
  int count = 1;
  /// Bytes that pass through the caches meanwhile, scratch included, divided by those of scratch.
  double passing = 1;
};
/// One lane transform of V lanes among groups that run interleaved, scratch traffic included.
double lane_cycles(const LaneRecipe& recipe, codelet::Isa isa, Precision precision,
                   const MachineModel& machine, const LaneGroups& groups = {});

}  // namespace weft::local
