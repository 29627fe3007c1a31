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
/// Does a step begin with memory, rather than with what the caches still have of the step before?
bool begins_in_memory(const ArrayProblem& problem, int threads);
PlanCost cost_of(const ArrayRecipe& recipe, const ArrayProblem& problem, int threads);

}  // namespace weft::local
