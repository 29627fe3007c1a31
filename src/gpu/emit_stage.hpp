// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "gpu/tables.hpp"
#include "gpu/tile_geometry.hpp"

namespace weft::gpu {

/// `__device__ void stage_2(const Tile& tile, Shared* shared, unsigned task)`: what one thread does
/// for one task of a stage. Of a tile in parts the first stage also takes the number of the
/// thread's task and the thread's place to park points, the others the number of the part.
std::string emit_stage(const TilePass& pass, const Geometry& geometry, const Tables& tables,
                       int stage);

/// `__device__ void unpark_1(Shared* shared, unsigned task, ...)`: what a task of the first stage
/// parked of one part goes where the other stages expect it.
std::string emit_unpark(const TilePass& pass, const Geometry& geometry, const Tables& tables,
                        int part);

}  // namespace weft::gpu
