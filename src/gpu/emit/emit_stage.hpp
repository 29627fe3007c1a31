// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "gpu/emit/mode_text.hpp"
#include "gpu/recipe/tables.hpp"
#include "gpu/recipe/tile_geometry.hpp"

namespace weft::gpu {

/// `__device__ void stage_2(const Tile& tile, Shared* shared, unsigned task)`: what one thread does
/// for one task of a stage.
std::string emit_stage(const TilePass& pass, const Geometry& geometry, const Tables& tables,
                       int stage);

/// Of a tile that is turned around, what its last stage does besides: the function at every mode,
/// and the first stage back. `emit_first_stage_back` is to come before it in the text.
struct TurnText {
  const ModeGrid& grid;
  const ModeFunctionText& function;
};
/// `stage_2(const Tile* tiles, const Tile* back, Shared* shared, unsigned task)`: the tile of every
/// field.
std::string emit_turning_stage(const TilePass& forward, const Geometry& geometry,
                               const Tables& tables, const TurnText& turn);
/// `back_0(const Tile& tile, Complex (&x)[8], unsigned task)`: of points in registers.
std::string emit_first_stage_back(const TilePass& backward, const Geometry& geometry,
                                  const Tables& tables);
/// `stage_0(const Tile* tiles, Shared* shared, unsigned task)`: the points of all fields are on
/// their way from memory at the same time. Not of a pass of one stage.
std::string emit_first_stage_of_all(const TilePass& forward, const Geometry& geometry,
                                    const Tables& tables, int fields);
/// `back_2(const Tile& tile, Shared* shared, unsigned task)`, of the stages after that.
std::string emit_stage_back(const TilePass& backward, const Geometry& geometry,
                            const Tables& tables, int stage);

}  // namespace weft::gpu
