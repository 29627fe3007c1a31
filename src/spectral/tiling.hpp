// SPDX-License-Identifier: BSD-3-Clause
// How the spectrum of an operator is cut into tiles: which axes are transformed while a tile is in
// cache, and how much of the other dimensions a tile holds.
#pragma once

#include <array>
#include <vector>

#include "weft/spectral.hpp"

namespace weft::spectral {

struct Tiling {
  std::vector<int> inside;     ///< axes that are transformed forward and backward within a tile
  std::vector<int> outside;    ///< the others: before the tiles forward, after them backward
  std::vector<Index> extents;  ///< of a tile, one per dimension of the spectrum
  int cut = -1;                ///< the dimension of which tiles hold a part; -1: none
  friend bool operator==(const Tiling&, const Tiling&) = default;
};

/// Whether a transform of all fields fills so many bytes at most. `forward` has its axes listed;
/// `spectrum` are the extents of its output.
bool fits(const Transform& forward, const std::vector<Index>& spectrum, int fields,
          double tile_bytes);
/// The slowest axis that is not halved.
int slowest_axis(const Transform& forward);
/// All fields of a tile together fill about so many bytes. `inside` are some of the axes, or none:
/// then tiles are there for the function alone.
Tiling tiling_of(const Transform& forward, const std::vector<Index>& spectrum, int fields,
                 std::vector<int> inside, double tile_bytes);

/// The tiles of a tiling one by one.
class TileBoxes {
 public:
  TileBoxes() = default;
  TileBoxes(const std::vector<Index>& spectrum, const Tiling& tiling);
  Index count() const { return count_; }
  /// Whether the last tile along the cut is smaller than the others.
  bool has_rest() const { return whole_along_cut_ < along_cut_; }
  struct Place {
    std::array<Index, max_operator_dimensions> begin{};
    bool is_rest = false;
  };
  Place place(Index number) const;
  /// Of such a tile.
  const std::vector<Index>& extents(bool is_rest) const {
    return is_rest ? rest_ : tiling_.extents;
  }

 private:
  std::vector<Index> spectrum_, rest_;
  Tiling tiling_;
  Index whole_along_cut_ = 1, along_cut_ = 1, count_ = 1;
};

/// Dense, row-major.
std::vector<Index> dense_strides(const std::vector<Index>& extents);

}  // namespace weft::spectral
