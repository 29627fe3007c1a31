// SPDX-License-Identifier: BSD-3-Clause
// How a kernel sees the pieces that hold one side of a box: as one strided array, or with one axis
// in equal blocks, as exchanges between ranks leave it if the extents divide evenly.
#pragma once

#include <optional>
#include <vector>

#include "gpu/recipe/tile_pass.hpp"
#include "reshape/piece.hpp"

namespace weft::gpu {

struct Side {
  reshape::Piece first;  ///< the piece at the box's beginning; its strides are those of all
  int axis = -1;         ///< that is cut into blocks; -1: none
  Blocks blocks = {};
};

/// Nothing where the pieces are neither.
std::optional<Side> side_of(const std::vector<reshape::Piece>& pieces, const Box& box,
                            Index element_bytes);

}  // namespace weft::gpu
