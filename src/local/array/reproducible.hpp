// SPDX-License-Identifier: BSD-3-Clause
// A recipe whose arithmetic depends on the lengths alone, not on strides, batches or timings: the
// same numbers to the last bit however an array is cut and stored.
#pragma once

#include "local/array/array_recipe.hpp"

namespace weft::local {

/// For problems with one transformed axis. Slower than the chosen recipe where that one would use
/// the layout.
ArrayRecipe reproducible_recipe(const ArrayProblem& problem);

}  // namespace weft::local
