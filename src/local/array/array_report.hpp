// SPDX-License-Identifier: BSD-3-Clause
// What a recipe does, in words, as a formula and in numbers.
#pragma once

#include <string>

#include "formula/formula.hpp"
#include "local/array/array_cut.hpp"
#include "local/array/array_recipe.hpp"
#include "local/choose/cost_model.hpp"
#include "weft/plan.hpp"

namespace weft::local {

std::string tree_of(const ArrayRecipe& recipe, const ArrayProblem& problem);
formula::Formula formula_of(const ArrayRecipe& recipe, const ArrayProblem& problem);
/// An axis of a tile is done by all threads together, or by one while the others do other tiles.
Setting setting_of(const TileTask& tile, const AxisTask& task, const ArrayProblem& problem,
                   int threads);
PlanCost cost_of(const ArrayRecipe& recipe, const ArrayProblem& problem, int threads);

}  // namespace weft::local
