// SPDX-License-Identifier: BSD-3-Clause
// Which recipe a GPU takes for a problem: the caller's own, one that wisdom has, the first
// candidate, or the fastest of those timed.
#pragma once

#include <functional>
#include <optional>

#include "gpu/choose/tuner.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/recipe/problem.hpp"
#include "gpu/recipe/transform_recipe.hpp"
#include "weft/cuda.hpp"

namespace weft::gpu {

/// Times recipes on a device; time_recipes(), or what tests put in its place.
using TimeRecipes = std::function<Tuning(const std::vector<Recipe>&, const ArrayProblem&,
                                         const GpuDevice&, const TuningLimits&)>;

/// Throws weft::Error if there is no recipe for the problem (unsupported), if none fits into the
/// device's memory (out_of_memory), or if the caller's own does not fit (invalid_argument).
TransformRecipe choose_recipe(const ArrayProblem& problem, const GpuDevice& device,
                              const cuda::PlanOptions& options,
                              const TimeRecipes& time = time_recipes);

/// The model's first choice for a problem that has a GPU form, whatever memory it needs; nothing if
/// an axis is too long.
std::optional<TransformRecipe> first_recipe(const ArrayProblem& problem, const GpuDevice& device);

}  // namespace weft::gpu
