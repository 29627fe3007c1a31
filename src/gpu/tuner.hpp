// SPDX-License-Identifier: BSD-3-Clause
// Which recipe: the first candidate, one that wisdom remembers, or the fastest of those timed.
#pragma once

#include "gpu/driver.hpp"
#include "gpu/recipe.hpp"
#include "weft/cuda.hpp"

namespace weft::gpu {

Limits limits_of(const Device& device);

/// The candidates that planning with this effort would look at.
std::vector<Recipe> recipes_to_time(const Problem& problem, const Limits& limits, Effort effort);

struct TimedRecipe {
  Recipe recipe;
  double ms = 0;
  std::vector<double> pass_ms = {};              ///< of each pass alone
  std::vector<int> registers = {}, spills = {};  ///< of each pass: registers, bytes of local memory
};
/// Times recipes in their order until `time_limit_s` is over, the first in any case; also pass by
/// pass where that is asked for.
std::vector<TimedRecipe> time_recipes(const std::vector<Recipe>& recipes, const Problem& problem,
                                      const Device& device, double time_limit_s, bool each_pass);

/// Throws weft::Error (unsupported) when no recipe serves the problem.
Recipe choose_recipe(const Problem& problem, const Device& device,
                     const cuda::PlanOptions& options);

}  // namespace weft::gpu
