// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "gpu/tables.hpp"
#include "gpu/tile_geometry.hpp"

namespace weft::gpu {

/// `__device__ void stage_2(const Tile& tile, Complex* shared, unsigned task)`: what one thread
/// does for one task of a stage.
std::string emit_stage(const TilePass& pass, const Geometry& geometry, const Tables& tables,
                       int stage);

/// Whether the last stage itself tells the cluster that it has read what it needs: where every
/// thread has one task. Otherwise the kernel does after the stage.
bool arrives_early(const TilePass& pass, const Geometry& geometry);

}  // namespace weft::gpu
