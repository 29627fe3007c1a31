// SPDX-License-Identifier: BSD-3-Clause
// One axis after another, each in one pass or, where it exceeds a tile, in several parts; lengths
// with large prime factors as convolutions.
#pragma once

#include <optional>

#include "gpu/recipe/line_pass.hpp"
#include "gpu/recipe/problem.hpp"
#include "gpu/recipe/recipe.hpp"

namespace weft::gpu {

/// Nothing where an axis cannot be done in the way that the options ask for.
std::optional<Recipe> axis_by_axis(const ArrayProblem& problem, const DeviceNumbers& numbers,
                                   const LineOptions& options);

/// Whether the recipe is one of these for the problem, whatever its tiles, radices and stages.
bool is_axis_by_axis(const ArrayProblem& problem, const Recipe& recipe);

}  // namespace weft::gpu
