// SPDX-License-Identifier: BSD-3-Clause
// The whole local recipe: steps over the array, each with one recipe per axis it transforms.
// Built by planner.cpp, carried out by array_plan.cpp, kept by wisdom as text.
#pragma once

#include <string>
#include <vector>

#include "local/array_problem.hpp"

namespace weft::local {

struct ArrayRecipe {
  double tile_bytes = 0;         ///< bound for fusing axes; decides the cut
  std::vector<AxisRecipe> axes;  ///< in the order of cut_into_tiles()
  friend bool operator==(const ArrayRecipe&, const ArrayRecipe&) = default;
};

/// "tile 1048576: avx2:four_step(32,16); avx2:lanes(8.8.8,2)".
std::string to_text(const ArrayRecipe& recipe);
/// Throws weft::Error (wisdom).
ArrayRecipe parse_array_recipe(std::string_view text);
/// Whether the recipe can be built for the problem: one axis recipe per axis, of fitting lengths,
/// for instruction sets this CPU has.
bool fits(const ArrayRecipe& recipe, const ArrayProblem& problem);

std::string tree_of(const ArrayRecipe& recipe, const ArrayProblem& problem);
formula::Formula formula_of(const ArrayRecipe& recipe, const ArrayProblem& problem);
PlanCost cost_of(const ArrayRecipe& recipe, const ArrayProblem& problem, int threads);

}  // namespace weft::local
