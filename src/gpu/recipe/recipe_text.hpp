// SPDX-License-Identifier: BSD-3-Clause
// GPU recipes as text: one line that names everything a plan is built from, and the way back.
#pragma once

#include <string>
#include <string_view>

#include "gpu/recipe/recipe.hpp"

namespace weft::gpu {

/// "f32 forward; piece 16.32[1>1]; loop 64/8[512>512]; stage 0.0; stage 0.1; threads 128 cluster 1
/// blocks 2". A `piece` is a TileAxis: it has its radices and the distances of its points in input
/// and output, a loop its count, how many of its iterations are in a tile, and distances; a stage
/// lists digits as piece.position.
std::string to_text(const TilePass& pass);
/// "input > output: f32 forward; ...".
std::string to_text(const PlacedPass& placed);
/// Passes and what they work in: "input > workspace: ... | workspace > output: ... | with workspace
/// 4096".
std::string to_text(const Recipe& recipe);

/// The inverse of to_text. Throws weft::Error (wisdom) if the text is not a recipe. check_fit() in
/// fits.hpp checks whether it computes a problem on a device.
Recipe parse_recipe(std::string_view text);

}  // namespace weft::gpu
