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

/// Throws weft::Error (unsupported) when no recipe serves the problem.
Recipe choose_recipe(const Problem& problem, const Device& device,
                     const cuda::PlanOptions& options);

}  // namespace weft::gpu
