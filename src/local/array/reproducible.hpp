// SPDX-License-Identifier: BSD-3-Clause
// A recipe whose arithmetic depends on the lengths alone, not on strides, batches or timings: the
// same numbers to the last bit however an array is cut and stored.
#pragma once

#include "local/array/array_recipe.hpp"

namespace weft::local {

/// For problems with one transformed axis. May be slower than the planner's recipe, which can make
/// use of the layout.
ArrayRecipe reproducible_recipe(const ArrayProblem& problem);

}  // namespace weft::local
