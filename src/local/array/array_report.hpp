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
PlanCost cost_of(const ArrayRecipe& recipe, const ArrayProblem& problem, int threads);

}  // namespace weft::local
