// SPDX-License-Identifier: BSD-3-Clause
// What a recipe does, in words, as a formula and in numbers.
#pragma once

#include <string>

#include "formula/formula.hpp"
#include "local/array/array_recipe.hpp"
#include "weft/plan.hpp"

namespace weft::local {

std::string tree_of(const ArrayRecipe& recipe, const ArrayProblem& problem);
formula::Formula formula_of(const ArrayRecipe& recipe, const ArrayProblem& problem);
/// Does a step read from memory, rather than from what the step before left in the caches?
bool begins_in_memory(const ArrayProblem& problem, int threads);
PlanCost cost_of(const ArrayRecipe& recipe, const ArrayProblem& problem, int threads);

}  // namespace weft::local
