// SPDX-License-Identifier: BSD-3-Clause
// The systolic transposition of the APE paper over any finite abelian group. Cell i holds blocks at
// the addresses j; three steps turn block (j, i) into block (i, j):
//   pre-skew   m'[j][i] = m[j + i][i]          in each cell
//   row shift  m''[-g][i] = m'[g][i - g]       row g moves by g: the same address in every cell
//   re-skew    m'''[j][i] = m''[j - i][i]      in each cell
// With Z_p it is the paper's ring, with Z_a x Z_b x Z_c the torus itself (digits have no carry, so
// a row costs exactly its distance), with Z_2^k the hypercube.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/abelian_group.hpp"

namespace weft::fabric {

/// What the steps cost, in the units of the machine.
struct SystolicCount {
  std::int64_t row_moves = 0;           ///< masked moves of a row inside the cells (skewing)
  std::int64_t row_hops = 0;            ///< rows times links that they travel
  std::int64_t shift_instructions = 0;  ///< elementary shifts, rows of equal way grouped
};

template <class Block>
class SystolicArray {
 public:
  explicit SystolicArray(AbelianGroup group)
      : group_(std::move(group)),
        count_(group_.order()),
        blocks_(static_cast<std::size_t>(count_) * static_cast<std::size_t>(count_)) {}

  int cells() const { return count_; }
  const AbelianGroup& group() const { return group_; }
  Block& at(int address, int cell) { return blocks_[index(address, cell)]; }
  const Block& at(int address, int cell) const { return blocks_[index(address, cell)]; }

  void pre_skew() { skew(+1); }
  void re_skew() { skew(-1); }
  void row_shift();
  /// Skewing without local addresses (Algorithm 6, corrected): digit by digit and bit by bit, all
  /// cells walk through the same addresses, and those whose bit is set keep what they read.
  void masked_skew(int sign, SystolicCount& count);
  void transpose() {
    pre_skew();
    row_shift();
    re_skew();
  }

 private:
  std::size_t index(int address, int cell) const {
    return static_cast<std::size_t>(address) * static_cast<std::size_t>(count_) +
           static_cast<std::size_t>(cell);
  }
  void skew(int sign);

  AbelianGroup group_;
  int count_;
  std::vector<Block> blocks_;
};

template <class Block>
void SystolicArray<Block>::skew(int sign) {
  const std::vector<Block> old = blocks_;
  for (int j = 0; j < count_; ++j)
    for (int i = 0; i < count_; ++i)
      at(j, i) = old[index(group_.add(j, sign > 0 ? i : group_.negate(i)), i)];
}

template <class Block>
void SystolicArray<Block>::row_shift() {
  const std::vector<Block> old = blocks_;
  for (int g = 0; g < count_; ++g)
    for (int i = 0; i < count_; ++i)
      at(group_.negate(g), i) = old[index(g, group_.add(i, group_.negate(g)))];
}

template <class Block>
void SystolicArray<Block>::masked_skew(int sign, SystolicCount& count) {
  for (std::size_t axis = 0; axis < group_.moduli.size(); ++axis) {
    const int side = group_.moduli[axis];
    for (int bit = 1; bit < side; bit *= 2) {
      const std::vector<Block> old = blocks_;  // the rows that wrap are kept aside
      for (int j = 0; j < count_; ++j) {
        const int digit = group_.digit(j, axis);
        const int from = group_.with_digit(j, axis, ((digit + sign * bit) % side + side) % side);
        for (int i = 0; i < count_; ++i)
          if ((group_.digit(i, axis) & bit) != 0) at(j, i) = old[index(from, i)];
        ++count.row_moves;
      }
    }
  }
}

/// Hops and shift instructions of the row shift on a torus of these sides: in each direction the
/// rows that still have to go on move together.
SystolicCount row_shift_count(const AbelianGroup& torus);
/// Eq. (3): the sum over all strides of (l0 + 1 + l1 + 1 + l2 + 1), one direction only.
std::int64_t ring_cost(const AbelianGroup& torus);

}  // namespace weft::fabric
