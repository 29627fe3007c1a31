// SPDX-License-Identifier: BSD-3-Clause
// Whether a recipe, which may be text from anywhere, computes a problem here.
#pragma once

#include <string>

#include "local/array/array_recipe.hpp"

namespace weft::local {

/// Why the recipe cannot be built for the problem, by this build and on this CPU, or would not
/// compute it; empty if it does.
std::string misfit(const ArrayRecipe& recipe, const ArrayProblem& problem);
inline bool fits(const ArrayRecipe& recipe, const ArrayProblem& problem) {
  return misfit(recipe, problem).empty();
}

/// Why the cut does not suit the problem; empty if it does.
std::string misfit(const ArrayCut& cut, const ArrayProblem& problem);

}  // namespace weft::local
