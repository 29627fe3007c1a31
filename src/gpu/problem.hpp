// SPDX-License-Identifier: BSD-3-Clause
// From a checked request to what the GPU planner works on.
#pragma once

#include "api/problem.hpp"
#include "gpu/recipe.hpp"

namespace weft::gpu {

/// Throws weft::Error (unsupported) for what has no GPU form. Axes of one point are dropped.
Problem problem_of(const local::ArrayProblem& request);

}  // namespace weft::gpu
