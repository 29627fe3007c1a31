// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/fits.hpp"

#include <algorithm>
#include <bit>

#include "base/format.hpp"
#include "gpu/recipe/axis_by_axis.hpp"
#include "gpu/recipe/radices.hpp"
#include "gpu/recipe/tile_geometry.hpp"
#include "gpu/recipe/two_pass.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

bool is_offered(const TileAxis& tile_axis) {
  return tile_axis.radices == std::vector<int>{1} ||
         std::ranges::all_of(tile_axis.radices, [](int radix) {
           return std::ranges::find(offered_radices, radix) != std::end(offered_radices);
         });
}

std::string all_radices() {
  std::string text;
  for (const int radix : offered_radices)
    text += (text.empty() ? "" : ", ") + std::to_string(radix);
  return text;
}

/// Of a tile, or one more than `most`.
Index points_up_to(const TilePass& pass, Index most) {
  Index points = 1;
  const auto multiply = [&](Index by) { points = by > most / points ? most + 1 : points * by; };
  for (const TileAxis& tile_axis : pass.tile_axes) multiply(tile_axis.n());
  for (const Loop& loop : pass.loops) multiply(loop.tile);
  return points;
}

/// What a device has no room for, of a pass that does not contradict itself; empty: nothing.
std::string excess(const TilePass& pass, const DeviceNumbers& numbers) {
  constexpr Index most_stage_points = 64, most_grid_blocks = 0x7fffffff;
  if (!std::ranges::all_of(pass.tile_axes, is_offered))
    return weft::format("a radix is not available; use {}", all_radices());
  if (pass.cluster > numbers.largest_cluster ||
      !std::has_single_bit(static_cast<unsigned>(pass.cluster)))
    return weft::format("clusters are of 1, 2, 4, ... {} blocks", numbers.largest_cluster);
  if (pass.threads % 32 != 0) return "threads come in warps of 32";
  if (pass.threads * pass.blocks_per_sm > numbers.threads || pass.blocks_per_sm > numbers.blocks)
    return weft::format("a multiprocessor has room for {} threads and {} blocks", numbers.threads,
                        numbers.blocks);
  const Index most_points = static_cast<Index>(numbers.shared_bytes) * pass.cluster;
  if (points_up_to(pass, most_points) > most_points) return "a tile exceeds shared memory";
  if (widest_stage(pass) > most_stage_points)
    return weft::format("a thread transforms at most {} points at once", most_stage_points);
  const Geometry geometry(pass);
  if (geometry.shared_bytes() > numbers.shared_bytes)
    return weft::format("a tile takes {} bytes of shared memory, a block has {}",
                        geometry.shared_bytes(), numbers.shared_bytes);
  if (geometry.tiles() > most_grid_blocks / pass.cluster) return "there are too many tiles";
  return "";
}

[[noreturn]] void refuse(const ArrayProblem& problem, const std::string& why) {
  throw Error(ErrorCode::invalid_argument,
              weft::format("the recipe does not fit the GPU transform '{}': {}; pass the text of a "
                           "plan for this transform, or none to have one chosen",
                           to_text(problem), why));
}

}  // namespace

void check_fit(const Recipe& recipe, const ArrayProblem& problem, const DeviceNumbers& numbers) {
  check_problem(problem);
  if (recipe.passes.empty()) refuse(problem, "it has no passes");
  try {
    for (const PlacedPass& placed : recipe.passes) check(placed.pass);
    if (!is_two_pass(problem, recipe) && !is_axis_by_axis(problem, recipe))
      refuse(problem, "its passes are for other axes, lengths, strides, precision or scaling");
    for (const PlacedPass& placed : recipe.passes)
      if (const std::string why = excess(placed.pass, numbers); !why.empty()) refuse(problem, why);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::internal) throw;
    refuse(problem, error.what());  // a pass that contradicts itself
  }
}

}  // namespace weft::gpu
