// SPDX-License-Identifier: BSD-3-Clause
// How the spectrum of an operator is cut into tiles: which axes are transformed while a tile is in
// cache, and how much of the other dimensions a tile holds.
#pragma once

#include <vector>

#include "weft/plan.hpp"

namespace weft::spectral {

struct Tiling {
  std::vector<int> inside;     ///< axes that are transformed forward and backward within a tile
  std::vector<int> outside;    ///< the others: before the tiles forward, after them backward
  std::vector<Index> extents;  ///< of a tile, one per dimension of the spectrum
  int cut = -1;                ///< the dimension of which tiles hold a part; -1: none
  friend bool operator==(const Tiling&, const Tiling&) = default;
};

/// `forward` has its axes listed; `spectrum` are the extents of its output. All fields of a tile
/// together fill about so many bytes. All axes are inside if that is enough for one transform of a
/// batch. Else, of three complex axes or more, all but the slowest if such a plane of all fields
/// has `plane_bytes` at most: the slowest is done in sweeps of its own, as columns. Else the
/// slowest axis that is not halved.
Tiling choose_tiling(const Transform& forward, const std::vector<Index>& spectrum, int fields,
                     double tile_bytes, double plane_bytes = 0);

/// Dense, row-major.
std::vector<Index> dense_strides(const std::vector<Index>& extents);

}  // namespace weft::spectral
