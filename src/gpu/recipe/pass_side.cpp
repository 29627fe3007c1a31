// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/pass_side.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "gpu/recipe/problem.hpp"

namespace weft::gpu {
namespace {

/// Of adjacent points a block of a cluster reads only its share of the digit that is spread.
Index share_of_adjacent_points(const TilePass& pass) {
  const auto digit = spread_digit(pass);
  if (!digit) return 0;
  const TileAxis& tile_axis = pass.tile_axes[at(digit->tile_axis)];
  const bool is_adjacent =
      tile_axis.in == 1 && digit->position + 1 == static_cast<int>(tile_axis.radices.size());
  return is_adjacent ? tile_axis.radices.back() / pass.cluster : 0;
}

}  // namespace

SideOfPass side_of(const TilePass& pass, bool is_output) {
  SideOfPass result;
  result.element_bytes = stored_bytes(pass.precision);
  if (pass.tile_axes[0].is_twinned()) result.elements = 2;
  // Pairs of neighbouring reals are points, and distances count reals.
  const Index reals = std::abs(is_output ? pass.out_pair : pass.pair) == 1 ? 2 : 1;
  std::vector<std::pair<Index, Index>> extents;  // distance, count within a tile
  for (const TileAxis& tile_axis : pass.tile_axes) {
    const Chirp::Role chirp = tile_axis.chirp.role;
    const bool is_inside = chirp == Chirp::Role::spectrum ||
                           (is_output ? tile_axis.chirp.reads() : chirp == Chirp::Role::second);
    const bool here =
        tile_axis.real == (is_output ? RealSide::output : RealSide::input) && !is_inside;
    const bool halved = tile_axis.real != RealSide::none && !here && !is_inside;
    if (here) result.element_bytes = stored_bytes(pass.precision) / 2;
    const Index logical = chirp == Chirp::Role::none || is_inside ? tile_axis.length()
                          : tile_axis.chirp.step > 0
                              ? ceil_div(tile_axis.chirp.n, tile_axis.chirp.step)
                              : tile_axis.chirp.n;
    const Index kept = is_output ? tile_axis.out_kept : tile_axis.in_kept;
    const Index n = kept > 0 ? kept : halved ? logical / 2 + 1 : logical;
    result.elements *= n;
    const Blocks& blocks = is_output ? tile_axis.out_blocks : tile_axis.in_blocks;
    extents.emplace_back(std::abs(is_output ? tile_axis.out : tile_axis.in) / reals,
                         blocks ? std::min(n, blocks.length) : n);
    if (blocks) extents.emplace_back(blocks.jump, n / blocks.length);
  }
  const auto is_within_sector = [&](Index distance) {
    return distance * result.element_bytes % sector_bytes != 0;
  };
  for (const Loop& loop : pass.loops) {
    result.elements *= loop.count;
    const Index distance = std::abs(is_output ? loop.out : loop.in) / reals;
    if (loop.tile > 1) extents.emplace_back(distance, loop.tile);
    const Index far = (is_output ? loop.out_far : loop.in_far) / reals;
    const Index step = far != 0 ? far : loop.tile * distance;  // from tile to tile
    if ((distance > 1 && is_within_sector(distance)) ||
        (loop.count > loop.tile && is_within_sector(step)))
      result.is_aligned = false;
  }
  std::ranges::sort(extents);
  constexpr Index page_bytes = Index(1) << 21;
  for (const auto& [distance, count] : extents) {
    if (distance == result.run)
      result.run *= count;
    else if (is_within_sector(distance))
      result.is_aligned = false;
    const Index bytes = distance * result.element_bytes;
    if (bytes >= page_bytes)
      result.pages *= count;
    else if (bytes * count > page_bytes)
      result.pages *= ceil_div(bytes * count, page_bytes);
  }
  const Index share = pass.cluster > 1 && !is_output ? share_of_adjacent_points(pass) : 0;
  result.share = share > 0 ? std::min(result.run, share) : result.run;
  return result;
}

}  // namespace weft::gpu
