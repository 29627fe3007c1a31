// SPDX-License-Identifier: BSD-3-Clause
// Passes that transform one axis, or one part of it.
#pragma once

#include <optional>
#include <vector>

#include "gpu/recipe/device_numbers.hpp"
#include "gpu/recipe/tile_pass.hpp"

namespace weft::gpu {

struct LineProblem {
  Precision precision = Precision::f32;
  Direction direction = Direction::forward;
  Index n = 1, in = 1, out = 1;
  Index in_kept = 0, out_kept = 0;  ///< see TileAxis
  std::vector<Loop> loops;          ///< in any order, `tile` not set
  RealSide real = RealSide::none;
  Index whole = 0;  ///< part of a split axis, see TileAxis
  bool is_first_part = false;
  Index split_loop = -1;  ///< position in `loops`
  Folded folded = Folded::none;
  Chirp chirp;
  Blocks in_blocks = {}, out_blocks = {};
  bool is_twinned = false;       ///< the part of a halved line with its spectrum, see TileAxis
  Index pair = 0, out_pair = 0;  ///< the other part, see TilePass
};

struct LineOptions {
  int largest_radix = 16;
  int segment_bytes = 128;              ///< contiguous run to aim for in memory
  Index block_points = 16384;           ///< most that one block holds
  int blocks = 1;                       ///< per multiprocessor
  int threads = 1024;                   ///< at most
  bool half_shared = false;             ///< f16, see TilePass
  Index small_tile = 4096;              ///< points of a tile of several lines, if one has fewer
  Index longest_line = Index(1) << 40;  ///< longer axes are split, even where they would fit
  bool halved = false;                  ///< real lines of even lengths, see TileAxis
  bool by_columns = false;  ///< a split axis, between its passes: the columns of a tile together
  Index first_part = 0;  ///< points of the first of two or three parts, about; 0: all parts about
                         ///< equal. If it is short, a tile touches few distant pages of memory
};

/// The pass, or nothing when n has a large prime factor or a line does not fit a cluster.
std::optional<TilePass> line_pass(const LineProblem& problem, const DeviceNumbers& numbers,
                                  const LineOptions& options = {});

/// The pass with the radices, stages, tiles, threads and clusters of another; nothing if they do
/// not fit such a line.
std::optional<TilePass> line_pass_like(const LineProblem& problem, const TilePass& given);

}  // namespace weft::gpu
