// SPDX-License-Identifier: BSD-3-Clause
// A pass as CUDA text. The same text compiles as plain C++, where threads and blocks are loops: so
// the index arithmetic is tested where there is no GPU.
#pragma once

#include <string>
#include <vector>

#include "gpu/emit/mode_text.hpp"
#include "gpu/recipe/tables.hpp"
#include "gpu/recipe/tile_geometry.hpp"

namespace weft::gpu {

/// Defines `extern "C" __global__ void weft_pass(const Input* in, Output* out,
/// const Complex* tables, Real scale)`; on the host `extern "C" void weft_pass_on_host` of the same
/// arguments, as void pointers and double.
std::string emit_kernel(const TilePass& pass, const Geometry& geometry, const Tables& tables);

/// A tile of every field that goes forward, through a function of the modes, and back.
struct TurnedTile {
  const TilePass& forward;
  const TilePass& backward;
  int fields = 1;  ///< inputs or outputs, whichever are more
  Geometry geometry{forward, fields}, back{backward, geometry};
  Tables tables{forward}, tables_back{backward};

  /// The tables of both, as the kernel reads them.
  std::vector<unsigned char> bytes() const;
};
/// Defines `weft_turn(const Fields fields, const Complex* tables, Real scale, const StoredComplex*
/// numbers)`, on the host `weft_turn_on_host` with a pointer to the fields: pointers to all inputs,
/// then to all outputs. `numbers` are what the function reads. A tile reads all its inputs before
/// it writes.
std::string emit_turned_kernel(const TurnedTile& tile, const ModeGrid& grid,
                               const ModeFunctionText& function);

}  // namespace weft::gpu
