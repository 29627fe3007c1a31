// SPDX-License-Identifier: BSD-3-Clause
// A whole GPU transform as a value: passes one after another, each from one array to another. The
// planner chooses among recipes; plans are built from them.
#pragma once

#include <vector>

#include "gpu/recipe/tile_pass.hpp"

namespace weft::gpu {

enum class Place { input, output, workspace, scratch };
const char* to_string(Place place);

/// One pass, from one array to another.
struct PlacedPass {
  TilePass pass;
  Place from = Place::input, to = Place::output;
  friend bool operator==(const PlacedPass&, const PlacedPass&) = default;
};

struct Recipe {
  std::vector<PlacedPass> passes;
  /// Complex numbers in storage precision.
  Index workspace_elements = 0, scratch_elements = 0;
  friend bool operator==(const Recipe&, const Recipe&) = default;
};

/// Only the last pass of a recipe scales, if that is asked for or it takes real planes apart.
void leave_scale_to_last(Recipe& recipe, bool scales);

}  // namespace weft::gpu
