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
#include <functional>
#include <utility>
#include <vector>

#include "fabric/abelian_group.hpp"

namespace weft::fabric {

/// What the steps cost, in the units of the machine.
struct SystolicCount {
  std::int64_t row_moves = 0;           ///< masked moves of a row inside the cells (skewing)
  std::int64_t row_hops = 0;            ///< rows times links that they travel
  std::int64_t shift_instructions = 0;  ///< elementary shifts, rows of equal way grouped
};

/// What all cells do together in one go: blocks move, places are address * cells + cell.
struct SystolicStep {
  enum class Kind {
    skew,   ///< one row inside the cells whose mask is set
    shift,  ///< some rows, to the neighbour cells
    store,  ///< rows to their last addresses; the last shift could have left them there
  };
  Kind kind = Kind::skew;
  std::vector<std::pair<int, int>> moves = {};  ///< from, to
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

  /// Called after each step of row_shift() and masked_skew().
  void watch(std::function<void(const SystolicStep&)> on_step) { on_step_ = std::move(on_step); }

  void pre_skew() { skew(+1); }
  void re_skew() { skew(-1); }
  /// Row g by g cells, hop by hop: all rows that have the same way before them move together.
  void row_shift(SystolicCount& count);
  /// Skewing without local addresses (Algorithm 6, corrected): digit by digit and bit by bit, all
  /// cells walk through the same addresses, and those whose bit is set keep what they read.
  void masked_skew(int sign, SystolicCount& count);
  void transpose() {
    SystolicCount count;
    pre_skew();
    row_shift(count);
    re_skew();
  }

 private:
  std::size_t index(int address, int cell) const {
    return static_cast<std::size_t>(address) * static_cast<std::size_t>(count_) +
           static_cast<std::size_t>(cell);
  }
  void skew(int sign);
  bool shift_rows(std::size_t axis, int sign, int hop, SystolicCount& count);
  void tell(const SystolicStep& step) const {
    if (on_step_) on_step_(step);
  }

  AbelianGroup group_;
  int count_;
  std::vector<Block> blocks_;
  std::function<void(const SystolicStep&)> on_step_;
};

template <class Block>
void SystolicArray<Block>::skew(int sign) {
  const std::vector<Block> old = blocks_;
  for (int j = 0; j < count_; ++j)
    for (int i = 0; i < count_; ++i)
      at(j, i) = old[index(group_.add(j, sign > 0 ? i : group_.negate(i)), i)];
}

/// Rows that go at least `hop` hops along an axis, the shorter way round: one more. False: none do.
template <class Block>
bool SystolicArray<Block>::shift_rows(std::size_t axis, int sign, int hop, SystolicCount& count) {
  const int side = group_.moduli[axis];
  SystolicStep step{.kind = SystolicStep::Kind::shift};
  int rows = 0;
  for (int g = 0; g < count_; ++g) {
    const int digit = group_.digit(g, axis);
    const bool upward = digit <= side / 2;
    if (upward != (sign > 0) || (upward ? digit : side - digit) < hop) continue;
    ++rows;
    std::vector<Block> row(static_cast<std::size_t>(count_));
    for (int i = 0; i < count_; ++i) {
      const int to = group_.with_digit(i, axis, (group_.digit(i, axis) + sign + side) % side);
      row[static_cast<std::size_t>(to)] = std::move(at(g, i));
      step.moves.emplace_back(g * count_ + i, g * count_ + to);
    }
    for (int i = 0; i < count_; ++i) at(g, i) = std::move(row[static_cast<std::size_t>(i)]);
  }
  if (rows == 0) return false;
  count.row_hops += rows;
  ++count.shift_instructions;
  tell(step);
  return true;
}

template <class Block>
void SystolicArray<Block>::row_shift(SystolicCount& count) {
  for (std::size_t axis = 0; axis < group_.moduli.size(); ++axis)
    for (const int sign : {+1, -1})
      for (int hop = 1; shift_rows(axis, sign, hop, count); ++hop) {
      }
  std::vector<Block> old = std::move(blocks_);
  blocks_.resize(old.size());
  SystolicStep step{.kind = SystolicStep::Kind::store};
  for (int g = 0; g < count_; ++g)
    for (int i = 0; i < count_; ++i) {
      const int to = group_.negate(g);
      at(to, i) = std::move(old[index(g, i)]);
      if (to != g) step.moves.emplace_back(g * count_ + i, to * count_ + i);
    }
  tell(step);
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
        SystolicStep step{.kind = SystolicStep::Kind::skew};
        for (int i = 0; i < count_; ++i) {
          if ((group_.digit(i, axis) & bit) == 0) continue;
          at(j, i) = old[index(from, i)];
          step.moves.emplace_back(from * count_ + i, j * count_ + i);
        }
        ++count.row_moves;
        tell(step);
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
