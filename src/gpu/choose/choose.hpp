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

/// Throws weft::Error when no recipe serves the problem (unsupported), none that the device's
/// memory has room for (out_of_memory), or the caller's own does not fit (invalid_argument).
TransformRecipe choose_recipe(const ArrayProblem& problem, const GpuDevice& device,
                              const cuda::PlanOptions& options,
                              const TimeRecipes& time = time_recipes);

/// The model's first for a problem that has a GPU form, whatever memory it takes; nothing where an
/// axis is too long.
std::optional<TransformRecipe> first_recipe(const ArrayProblem& problem, const GpuDevice& device);

}  // namespace weft::gpu
