// SPDX-License-Identifier: BSD-3-Clause
// Recipes for a problem: three axes in two passes where the array is large and its shape permits
// it, otherwise axis by axis.
#pragma once

#include <vector>

#include "gpu/recipe/device_numbers.hpp"
#include "gpu/recipe/problem.hpp"
#include "gpu/recipe/recipe.hpp"

namespace weft::gpu {

/// Recipes worth trying, the one expected to be fastest first. Empty where there is none.
std::vector<Recipe> candidates(const ArrayProblem& problem, const DeviceNumbers& numbers);

}  // namespace weft::gpu
