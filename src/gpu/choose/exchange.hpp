// SPDX-License-Identifier: BSD-3-Clause
// Passes that may stand in each other's place: recipes that do an axis in one pass, or cut it in
// the same way, differ in how a pass is done, not in what it does.
#pragma once

#include <vector>

#include "gpu/recipe/recipe.hpp"

namespace weft::gpu {

/// What a recipe of lines does, pass by pass, without radices, stages, threads and clusters, and
/// without the tiles unless the array that is written lies by them. Recipes whose works are equal
/// may exchange their passes. Empty for a recipe with two axes in a pass, which has none to
/// exchange: all pairs are candidates already.
std::vector<PlacedPass> work_of_lines(const Recipe& recipe);

}  // namespace weft::gpu
