// SPDX-License-Identifier: BSD-3-Clause
// The recipe of a whole GPU transform: one recipe, or for real-to-real transforms one for the inner
// transform of each axis (r2r_steps.hpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/recipe/device_numbers.hpp"
#include "gpu/recipe/problem.hpp"
#include "gpu/recipe/recipe.hpp"

namespace weft::gpu {

struct TransformRecipe {
  std::vector<Recipe> parts;
  friend bool operator==(const TransformRecipe&, const TransformRecipe&) = default;
};

/// The problems of the parts: the problem itself, or the inner ones of its axes.
std::vector<ArrayProblem> parts_of(const ArrayProblem& problem);

/// The text of the only part, or "r2r: <part> || <part> ...".
std::string to_text(const TransformRecipe& recipe, const ArrayProblem& problem);
/// The texts of the parts. Throws weft::Error (wisdom) where there are not as many as the problem
/// has parts.
std::vector<std::string> part_texts(std::string_view text, const ArrayProblem& problem);

/// The inverse of to_text; whether the parts fit is not checked. Throws weft::Error (wisdom).
TransformRecipe parse_transform_recipe(std::string_view text, const ArrayProblem& problem);

/// Passes over memory, the bytes they move and their time.
struct TransformCost {
  int passes = 0;
  double bytes = 0, seconds = 0;
};
TransformCost cost_of(const TransformRecipe& recipe, const ArrayProblem& problem,
                      const DeviceNumbers& numbers);
/// For people.
std::string explain(const TransformRecipe& recipe, const ArrayProblem& problem,
                    const DeviceNumbers& numbers);

}  // namespace weft::gpu
