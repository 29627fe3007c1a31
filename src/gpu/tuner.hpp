// SPDX-License-Identifier: BSD-3-Clause
// Which recipe: the first candidate, one that wisdom remembers, or the fastest of those timed.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gpu/driver.hpp"
#include "gpu/recipe.hpp"
#include "weft/cuda.hpp"

namespace weft::gpu {

Limits limits_of(const Device& device);

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
/// The recipe of this text: one of those given, or made of passes for single axes of several.
std::optional<Recipe> find_recipe(const std::vector<Recipe>& recipes, const std::string& text);

struct TuningLimits {
  double seconds = 10;
  std::size_t passes = std::numeric_limits<std::size_t>::max();  ///< to time, about
};
TuningLimits tuning_limits(Effort effort, double seconds);

/// From the first to the last element of a side, whatever its strides.
std::size_t array_bytes(const Problem& problem, bool is_output);

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
/// Times passes of those recipes that there is memory for, see PassSearch, until a limit is
/// reached, the first ones in any case, and then the most promising recipes as a whole, among them
/// one of the fastest passes of those that have a pass for each axis. Where a recipe was not timed
/// as a whole it comes behind those that were. Recipes that the device refuses are left out.
Tuning time_recipes(const std::vector<Recipe>& recipes, const Problem& problem,
                    const Device& device, const TuningLimits& limits);

/// Of the recipes, which are some, the first that the device has room for.
Recipe first_accepted(const std::vector<Recipe>& recipes, const Device& device);

/// Throws weft::Error when no recipe serves the problem (unsupported), or none that its memory has
/// room for (out_of_memory).
Recipe choose_recipe(const Problem& problem, const Device& device,
                     const cuda::PlanOptions& options);

}  // namespace weft::gpu
