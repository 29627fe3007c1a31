// SPDX-License-Identifier: BSD-3-Clause
// Times recipes on the device, pass by pass and as a whole.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "gpu/device/driver.hpp"
#include "gpu/recipe/operator_recipe.hpp"
#include "gpu/recipe/problem.hpp"
#include "gpu/recipe/recipe.hpp"
#include "weft/cuda.hpp"

namespace weft::gpu {

/// A pass alone.
struct TimedPass {
  double ms = 0;
  int registers = 0, spilled_bytes = 0;
};
struct TimedRecipe {
  Recipe recipe;
  std::vector<TimedPass> passes = {};
  double ms = 0;  ///< of the whole recipe, or of its passes together
};

struct TuningLimits {
  double seconds = 10;
  std::size_t passes = std::numeric_limits<std::size_t>::max();  ///< to time, about
};
TuningLimits tuning_limits(Effort effort, double seconds);

/// Bytes that a workspace may take on a device that must also hold `arrays` arrays of the problem.
std::size_t workspace_room(const ArrayProblem& problem, const GpuDevice& device, std::size_t limit,
                           int arrays = 1);

/// The recipes that need at most this many bytes of workspace.
std::vector<Recipe> within(const std::vector<Recipe>& recipes, std::size_t workspace);

/// Device memory to time recipes in.
struct TuningRoom {
  bool has_two_arrays = true;  ///< otherwise one, for input and output
  std::size_t workspace = 0;   ///< bytes at most
};
/// For recipes that take a workspace of up to `wanted` bytes. Nothing where not even one array
/// fits.
std::optional<TuningRoom> tuning_room(std::size_t in_bytes, std::size_t out_bytes,
                                      std::size_t wanted, std::size_t free_bytes);

struct Tuning {
  std::vector<TimedRecipe> timed = {};  ///< the fastest first
  bool had_room = false;                ///< for every recipe, in the memory that is free now
};
/// Of the recipes that there is memory for, times passes (see PassSearch) until a limit is reached;
/// the first ones in any case. Then times the most promising recipes as a whole; some of them are
/// made of the fastest pass for each axis, or part of one, of recipes that do the same (see
/// work_of_lines). Recipes not timed as a whole come after those that were. Recipes that the device
/// refuses are left out.
Tuning time_recipes(const std::vector<Recipe>& recipes, const ArrayProblem& problem,
                    const GpuDevice& device, const TuningLimits& limits);

/// The position of the fastest; nothing if there is no memory to try them in. The first ones are
/// timed, as many as the limits allow.
struct OperatorRequest;
std::optional<std::size_t> fastest_operator(const std::vector<OperatorRecipe>& recipes,
                                            const OperatorRequest& request, const GpuDevice& device,
                                            const TuningLimits& limits);

}  // namespace weft::gpu
