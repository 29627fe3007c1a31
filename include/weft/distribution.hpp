// SPDX-License-Identifier: BSD-3-Clause
// Which part of a global array each rank holds, and how it lies in that rank's memory.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "weft/types.hpp"

namespace weft {

inline constexpr int max_box_ndim = 8;

/// A box of indices, half open: begin[d] <= i[d] < end[d]. Empty when any extent is not positive.
struct Box {
  int ndim = 0;
  std::array<Index, max_box_ndim> begin{}, end{};

  Box() = default;
  /// Throws weft::Error for more than max_box_ndim dimensions or unequal lengths.
  Box(std::span<const Index> first, std::span<const Index> last);
  Box(std::initializer_list<Index> first, std::initializer_list<Index> last)
      : Box(std::span<const Index>(first.begin(), first.size()),
            std::span<const Index>(last.begin(), last.size())) {}
  /// From zero to `shape`.
  static Box of_shape(std::span<const Index> shape);

  Index extent(int d) const {
    const auto i = static_cast<std::size_t>(d);
    return end[i] > begin[i] ? end[i] - begin[i] : 0;
  }
  Index count() const;
  bool empty() const { return count() == 0; }
  std::vector<Index> extents() const;

  friend bool operator==(const Box&, const Box&) = default;
};

/// The common part; an empty box where there is none.
Box intersect(const Box& a, const Box& b);
/// "[0,4) x [2,9)".
std::string to_text(const Box& box);

/// A box and where its elements lie: element i at offset + sum (i[d] - begin[d]) * strides[d] from
/// the pointer given to execute().
struct LocalBox {
  Box box;
  std::vector<Index> strides = {};  ///< in elements; empty: dense, in the order of `order`
  std::vector<int> order = {};  ///< axes from slowest to fastest; empty: 0, 1, 2 ... (row-major)
  std::vector<Index> margin_low = {}, margin_high = {};  ///< ghost cells around the box, per axis
  Index offset = -1;  ///< of the first element; -1: behind the boxes before it
  friend bool operator==(const LocalBox&, const LocalBox&) = default;
};

/// All boxes of one rank. A rank may hold none.
using LocalBoxes = std::vector<LocalBox>;

/// A grid of ranks, one count per axis of the array. Ranks are numbered with the last axis fastest.
using Grid = std::vector<int>;

/// Part `part` of [0, n) cut into `parts` pieces whose sizes differ by one at most.
constexpr std::pair<Index, Index> split_evenly(Index n, Index parts, Index part) {
  return {n / parts * part + (n % parts < part ? n % parts : part),
          n / parts * (part + 1) + (n % parts < part + 1 ? n % parts : part + 1)};
}

/// The rank's block of an array cut by a grid; ranks beyond the grid hold nothing.
LocalBoxes bricks(std::span<const Index> shape, const Grid& grid, int rank);
/// Cut along one axis only.
LocalBoxes slabs(std::span<const Index> shape, int axis, int ranks, int rank);
/// Whole lines along `axis`; the other axes are cut into as equal parts as the sizes allow.
LocalBoxes pencils(std::span<const Index> shape, int axis, int ranks, int rank);
/// Blocks dealt out in turn along every axis, as ScaLAPACK does: one box per block.
LocalBoxes block_cyclic(std::span<const Index> shape, const Grid& grid,
                        std::span<const Index> block, int rank);

/// The grid with the given number of ranks whose blocks of `shape` have the least surface; axes in
/// `whole` are not cut.
Grid balanced_grid(std::span<const Index> shape, int ranks, std::span<const int> whole = {});

}  // namespace weft
