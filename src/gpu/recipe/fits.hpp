// SPDX-License-Identifier: BSD-3-Clause
// Whether a recipe from elsewhere computes a problem on a device.
#pragma once

#include "gpu/recipe/device_numbers.hpp"
#include "gpu/recipe/problem.hpp"
#include "gpu/recipe/recipe.hpp"

namespace weft::gpu {

/// Throws weft::Error (invalid_argument) that says what is wrong unless the recipe computes the
/// problem and the device has room for its tiles. Takes the cut of the axes and the layout between
/// passes from the recipe and builds the passes again for the problem: they must be those of the
/// recipe. Radices, stages, tiles, threads and clusters are free within the device's limits.
void check_fit(const Recipe& recipe, const ArrayProblem& problem, const DeviceNumbers& numbers);

}  // namespace weft::gpu
