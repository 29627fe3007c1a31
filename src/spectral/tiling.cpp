// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/tiling.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "base/names.hpp"

namespace weft::spectral {
namespace {

bool contains(const std::vector<int>& axes, int axis) {
  return std::ranges::find(axes, axis) != axes.end();
}

/// All axes, where a transform fits into the bytes; else planes, or the slowest that tiles can hold
/// whole.
std::vector<int> axes_inside(const Transform& forward, const std::vector<Index>& spectrum,
                             double point_bytes, double tile_bytes, double plane_bytes) {
  double bytes = point_bytes;
  for (int axis : forward.axes) bytes *= static_cast<double>(spectrum[at(axis)]);
  if (bytes <= tile_bytes || forward.axes.size() == 1) return forward.axes;
  const int slowest = *std::ranges::min_element(forward.axes);
  const bool is_padded = forward.input_extents != spectrum || forward.output_extents != spectrum;
  if (forward.kind == Kind::c2c && forward.axes.size() > 2 && !is_padded &&
      bytes <= plane_bytes * static_cast<double>(spectrum[at(slowest)])) {
    std::vector<int> plane = forward.axes;
    std::erase(plane, slowest);
    return plane;
  }
  std::vector<int> complex_axes = forward.axes;
  if (forward.kind == Kind::r2c) complex_axes.pop_back();
  return {*std::ranges::min_element(complex_axes)};
}

/// How many indices of a dimension a tile holds: about `room`, such that the last tile is not much
/// smaller than the others, and whole units.
Index part_of_dimension(Index all, double room, Index unit) {
  if (static_cast<double>(all) <= 1.25 * room || all <= unit) return all;
  const auto most = std::max<Index>(unit, static_cast<Index>(room) / unit * unit);
  const Index tiles = ceil_div(all, most);
  return std::min(all, round_up(ceil_div(all, tiles), unit));
}

}  // namespace

std::vector<Index> dense_strides(const std::vector<Index>& extents) {
  std::vector<Index> strides(extents.size());
  Index stride = 1;
  for (std::size_t d = extents.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<Index>(1, extents[d]);
  }
  return strides;
}

Tiling choose_tiling(const Transform& forward, const std::vector<Index>& spectrum, int fields,
                     double tile_bytes, double plane_bytes) {
  const double point_bytes =
      2.0 * static_cast<double>(real_bytes(forward.precision)) * static_cast<double>(fields);
  Tiling tiling;
  tiling.inside = axes_inside(forward, spectrum, point_bytes, tile_bytes, plane_bytes);
  for (int axis : forward.axes)
    if (!contains(tiling.inside, axis)) tiling.outside.push_back(axis);
  tiling.extents.assign(spectrum.size(), 1);
  double room = tile_bytes / point_bytes;
  for (int axis : tiling.inside) {
    tiling.extents[at(axis)] = spectrum[at(axis)];
    room /= static_cast<double>(std::max<Index>(1, spectrum[at(axis)]));
  }
  // Whole dimensions, fastest first, then a part of one: whole cache lines of the fastest.
  const Index line = 64 / (2 * real_bytes(forward.precision));
  bool is_fastest = true;
  for (int d = static_cast<int>(spectrum.size()) - 1; d >= 0 && tiling.cut < 0; --d) {
    if (contains(tiling.inside, d)) {
      is_fastest = false;
      continue;
    }
    const Index all = spectrum[at(d)];
    const Index unit = is_fastest ? line : 1;
    const Index some = part_of_dimension(all, room, unit);
    tiling.extents[at(d)] = some;
    room /= static_cast<double>(some);
    is_fastest = false;
    if (some < all) tiling.cut = d;
  }
  return tiling;
}

}  // namespace weft::spectral
