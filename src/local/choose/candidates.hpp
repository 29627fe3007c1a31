// SPDX-License-Identifier: BSD-3-Clause
// Recipes worth considering, best first by the cost model. The planner takes the first; measurement
// times more of them.
#pragma once

#include <vector>

#include "local/axis/axis_engine.hpp"
#include "local/axis/axis_recipe.hpp"
#include "local/choose/cost_model.hpp"

namespace weft::local {

/// Lane recipes for a DFT of length n.
std::vector<LaneRecipe> lane_candidates(Index n, codelet::Isa isa, Precision precision,
                                        const MachineModel& machine = machine_model());

/// Recipes for all transforms of a problem.
std::vector<AxisRecipe> axis_candidates(const AxisProblem& problem, const Setting& setting,
                                        const MachineModel& machine = machine_model());

}  // namespace weft::local
