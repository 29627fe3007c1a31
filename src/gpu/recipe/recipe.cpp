// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/recipe.hpp"

namespace weft::gpu {

const char* to_string(Place place) {
  static constexpr const char* names[] = {"input", "output", "workspace", "scratch"};
  return names[static_cast<int>(place)];
}

void leave_scale_to_last(Recipe& recipe, bool scales) {
  for (PlacedPass& placed : recipe.passes) placed.pass.scales = false;
  TilePass& last = recipe.passes.back().pass;
  last.scales = scales || last.untangles();
}

}  // namespace weft::gpu
