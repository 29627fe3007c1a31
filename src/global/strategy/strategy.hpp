// SPDX-License-Identifier: BSD-3-Clause
// Strategies: ways to cut a distributed transform into stages, one file each. They see forward
// problems only (c2c, r2c, r2r); backward ones use the reversed recipe of the mirrored problem.
#pragma once

#include "global/recipe/recipe.hpp"

namespace weft::global {

/// Two stages: all axes but one, with the array cut along that one; then that one.
std::vector<Recipe> slab_recipes(const GlobalProblem& problem);
/// One stage per axis, with the array cut along all others.
std::vector<Recipe> pencil_recipes(const GlobalProblem& problem);
/// One stage per axis, with cuts that follow those of the input, so that few ranks exchange data
/// when bricks become pencils.
std::vector<Recipe> brick_recipes(const GlobalProblem& problem);
/// Any other way to take the axes in groups; exists from four axes on.
std::vector<Recipe> mixed_recipes(const GlobalProblem& problem);

/// Two stages along the one axis that is transformed, shared out as the rows and columns of a
/// matrix; or, for lengths that have no good factors, the convolution of a chirp.
std::vector<Recipe> line_recipes(const GlobalProblem& problem);

/// The recipes of one strategy, or of all; without repetition and without those of `line`.
std::vector<Recipe> all_recipes(const GlobalProblem& problem, weft::Strategy strategy);

/// Order in which axes are transformed: the halved one, then from the last to the first.
std::vector<int> axis_order(const GlobalProblem& problem);
/// The one order of all reproducible recipes: axis_order(), reversed for c2r.
std::vector<int> canonical_order(const GlobalProblem& problem);

/// Stages for groups of axes, starting from `first`, the grid of the first group. Each next group
/// hands its cuts to axes of the group before it: then data moves along rows of the grid only. Axes
/// that are whole in the input's or output's own distribution are transformed there.
Recipe recipe_of_groups(const GlobalProblem& problem, Recipe::Strategy strategy,
                        const std::vector<std::vector<int>>& groups, Grid first);

}  // namespace weft::global
