// SPDX-License-Identifier: BSD-3-Clause
// Problems for GPU recipes, and recipes compared with the reference on the host.
#pragma once

#include "gpu/recipe/recipe.hpp"
#include "problem/array_problem.hpp"
#include "support/oracle.hpp"
#include "support/transform_of.hpp"

namespace weft::test {

/// Scaled, so that the kernels do that too.
problem::ArrayProblem contiguous(Kind kind, Precision precision, const std::vector<Index>& shape,
                                 std::vector<int> axes, Direction direction = Direction::forward);

/// Emits, compiles and runs the recipe; the output must be the transform. `spectrum_of_reals`: what
/// c2r is given belongs to a real field.
void expect_right(const problem::ArrayProblem& problem, const gpu::Recipe& recipe,
                  bool spectrum_of_reals = true);

}  // namespace weft::test
