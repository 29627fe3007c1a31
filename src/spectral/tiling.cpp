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

bool fits(const Transform& forward, const std::vector<Index>& spectrum, int fields,
          double tile_bytes) {
  double bytes = 2.0 * static_cast<double>(real_bytes(forward.precision) * fields);
  for (int axis : forward.axes) bytes *= static_cast<double>(spectrum[at(axis)]);
  return bytes <= tile_bytes;
}

int slowest_axis(const Transform& forward) {
  const auto last = forward.axes.end() - (forward.kind == Kind::r2c && forward.axes.size() > 1);
  return *std::min_element(forward.axes.begin(), last);
}

Tiling tiling_of(const Transform& forward, const std::vector<Index>& spectrum, int fields,
                 std::vector<int> inside, double tile_bytes) {
  const double point_bytes =
      2.0 * static_cast<double>(real_bytes(forward.precision)) * static_cast<double>(fields);
  Tiling tiling;
  tiling.inside = std::move(inside);
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

TileBoxes::TileBoxes(const std::vector<Index>& spectrum, const Tiling& tiling)
    : spectrum_(spectrum), rest_(tiling.extents), tiling_(tiling) {
  if (tiling.cut >= 0) {
    const Index all = spectrum[at(tiling.cut)], some = tiling.extents[at(tiling.cut)];
    whole_along_cut_ = all / some;
    along_cut_ = ceil_div(all, some);
    if (has_rest()) rest_[at(tiling.cut)] = all % some;
  }
  for (std::size_t d = 0; d < spectrum.size(); ++d)
    count_ *= static_cast<int>(d) == tiling.cut ? along_cut_ : spectrum[d] / tiling.extents[d];
}

TileBoxes::Place TileBoxes::place(Index number) const {
  Place place;
  for (std::size_t d = spectrum_.size(); d-- > 0;) {
    const bool is_cut = static_cast<int>(d) == tiling_.cut;
    const Index tiles = is_cut ? along_cut_ : spectrum_[d] / tiling_.extents[d];
    const Index i = number % tiles;
    number /= tiles;
    if (is_cut && i >= whole_along_cut_) place.is_rest = true;
    place.begin[d] = i * tiling_.extents[d];
  }
  return place;
}

}  // namespace weft::spectral
