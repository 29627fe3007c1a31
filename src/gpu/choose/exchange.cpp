// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/choose/exchange.hpp"

#include <algorithm>

namespace weft::gpu {

std::vector<PlacedPass> work_of_lines(const Recipe& recipe) {
  std::vector<PlacedPass> work = recipe.passes;
  for (PlacedPass& placed : work) {
    TilePass& pass = placed.pass;
    if (pass.tile_axes.size() != 1) return {};
    TileAxis& axis = pass.tile_axes.front();
    axis.radices = {static_cast<int>(axis.n())};
    for (Loop& loop : pass.loops)
      if (loop.in_far == 0 && loop.out_far == 0) loop.tile = 1;
    pass.stages.clear();
    pass.threads = pass.cluster = pass.blocks_per_sm = 1;
    pass.half_shared = false;
  }
  return work;
}

}  // namespace weft::gpu
