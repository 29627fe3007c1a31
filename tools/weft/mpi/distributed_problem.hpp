// SPDX-License-Identifier: BSD-3-Clause
// Distributed problems as the command line names them: a shape, and a grid of ranks such as 2x4.
#pragma once

#include <string>

#include "global/recipe.hpp"
#include "weft/distributed.hpp"

namespace weft::tool {

/// "8": as cubic as the shape allows; "2x4": ranks along the first axes.
Grid parse_grid(const std::string& text, const std::vector<Index>& shape);
int ranks_of(const Grid& grid);

/// Input and output cut by the same grid.
global::GlobalProblem brick_problem(const Transform& transform, const Grid& grid);

}  // namespace weft::tool
