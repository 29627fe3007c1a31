// SPDX-License-Identifier: BSD-3-Clause
// Distributed problems as given on the command line: a shape, and a grid of ranks such as 2x4.
#pragma once

#include <string>

#include "global/recipe/recipe.hpp"
#include "weft/distributed.hpp"

namespace weft::tool {

/// "8": a grid of 8 ranks with blocks as near to cubes as possible; "2x4": ranks along the first
/// axes.
Grid parse_grid(const std::string& text, const std::vector<Index>& shape);
int ranks_of(const Grid& grid);

/// Input and output are divided by the same grid. Ranks beyond the grid hold nothing.
global::GlobalProblem brick_problem(const Transform& transform, const Grid& grid, int ranks);

}  // namespace weft::tool
