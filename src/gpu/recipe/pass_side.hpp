// SPDX-License-Identifier: BSD-3-Clause
// How a pass meets memory on its input's or its output's side: what the cost model needs to know.
#pragma once

#include "gpu/recipe/tile_pass.hpp"

namespace weft::gpu {

constexpr Index sector_bytes = 32;

struct SideOfPass {
  Index elements = 1;
  Index element_bytes = 0;
  Index run = 1;           ///< adjacent elements that a tile reads or writes
  Index share = 1;         ///< of these, what one block of a cluster reads together
  Index pages = 1;         ///< of 2 MiB that a tile touches, about
  bool is_aligned = true;  ///< runs begin where sectors of 32 bytes do

  double bytes() const { return static_cast<double>(elements * element_bytes); }
  Index run_bytes() const { return run * element_bytes; }
  Index share_bytes() const { return share * element_bytes; }
};

SideOfPass side_of(const TilePass& pass, bool is_output);

}  // namespace weft::gpu
