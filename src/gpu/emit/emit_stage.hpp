// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "gpu/recipe/tables.hpp"
#include "gpu/recipe/tile_geometry.hpp"

namespace weft::gpu {

/// `__device__ void stage_2(const Tile& tile, Shared* shared, unsigned task)`: what one thread does
/// for one task of a stage.
std::string emit_stage(const TilePass& pass, const Geometry& geometry, const Tables& tables,
                       int stage);

}  // namespace weft::gpu
