// SPDX-License-Identifier: BSD-3-Clause
// Which part of a global array each rank holds, and how that part is laid out in the rank's memory.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "weft/export.h"
#include "weft/types.hpp"

namespace weft {

inline constexpr int max_box_ndim = 8;

/// A box of indices, half open: begin[d] <= i[d] < end[d]. Empty if any extent is zero or negative,
/// or if ndim is 0.
struct WEFT_API Box {
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
  /// Number of elements. Throws weft::Error if it does not fit in 64 bits.
  Index count() const;
  bool empty() const;
  std::vector<Index> extents() const;

  friend bool operator==(const Box&, const Box&) = default;
};

/// The intersection; an empty box if there is none.
WEFT_API Box intersect(const Box& a, const Box& b);
/// "[0,4) x [2,9)".
WEFT_API std::string to_text(const Box& box);

/// A box and its place in memory: element i is at offset + sum (i[d] - begin[d]) * strides[d],
/// counted in elements from the pointer given to execute(). Plans refuse boxes whose elements
/// overlap in memory or lie before the pointer, and output boxes that overlap each other in memory.
/// Input boxes may overlap each other.
struct LocalBox {
  Box box;
  /// In elements; may be negative. Empty: no gaps, axes in the order given by `order`. No two
  /// elements may have the same address: sorted by magnitude, each stride must be larger than the
  /// span of the axes with smaller strides.
  std::vector<Index> strides = {};
  std::vector<int> order = {};  ///< axes from slowest to fastest; empty: 0, 1, 2 ... (row-major)
  std::vector<Index> margin_low = {}, margin_high = {};  ///< ghost cells around the box, per axis
  Index offset = -1;  ///< of the first element; -1: directly after the previous box in memory
  friend bool operator==(const LocalBox&, const LocalBox&) = default;
};

/// All boxes of one rank. A rank may hold none.
using LocalBoxes = std::vector<LocalBox>;

/// A grid of ranks, one count per axis of the array. Ranks are numbered with the last axis fastest.
using Grid = std::vector<int>;

/// Divides [0, n) into `parts` pieces whose sizes differ by at most one; returns piece number
/// `part`.
constexpr std::pair<Index, Index> split_evenly(Index n, Index parts, Index part) {
  return {n / parts * part + (n % parts < part ? n % parts : part),
          n / parts * (part + 1) + (n % parts < part + 1 ? n % parts : part + 1)};
}

/// The block of `rank` in an array divided by a grid; ranks beyond the grid hold nothing.
WEFT_API LocalBoxes bricks(std::span<const Index> shape, const Grid& grid, int rank);
/// Divided along one axis only.
WEFT_API LocalBoxes slabs(std::span<const Index> shape, int axis, int ranks, int rank);
/// Whole lines along `axis`; the other axes are divided into parts that are as equal as possible.
WEFT_API LocalBoxes pencils(std::span<const Index> shape, int axis, int ranks, int rank);
/// Blocks distributed cyclically along every axis, as in ScaLAPACK: one box per block.
WEFT_API LocalBoxes block_cyclic(std::span<const Index> shape, const Grid& grid,
                                 std::span<const Index> block, int rank);

/// The grid with the given number of ranks whose blocks of `shape` have the smallest surface; axes
/// in `whole` are not divided.
WEFT_API Grid balanced_grid(std::span<const Index> shape, int ranks,
                            std::span<const int> whole = {});

}  // namespace weft
