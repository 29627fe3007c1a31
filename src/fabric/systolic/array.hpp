// SPDX-License-Identifier: BSD-3-Clause
// The systolic transposition of the APE paper, for any finite abelian group. Cell i holds one block
// at each address j; three steps move block (j, i) to (i, j):
//   pre-skew   m'[j][i] = m[j + i][i]          in each cell
//   row shift  m''[-g][i] = m'[g][i - g]       row g moves by g: the same address in every cell
//   re-skew    m'''[j][i] = m''[j - i][i]      in each cell
// The group Z_p gives the paper's ring, Z_a x Z_b x Z_c a torus (digits have no carry, so moving a
// row costs exactly its distance), Z_2^k a hypercube.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "fabric/abelian_group.hpp"

namespace weft::fabric {

/// The cost of the steps, counted in operations of the machine.
struct SystolicCount {
  std::int64_t row_moves = 0;  ///< masked moves of a row inside the cells (skewing)
  std::int64_t row_hops = 0;   ///< links that rows travel, summed over all rows
  std::int64_t shift_instructions =
      0;  ///< shifts by one cell; rows that move the same way share one instruction
};

/// One step that all cells do together: blocks move from place to place, where place = address *
/// cells + cell.
struct SystolicStep {
  enum class Kind {
    skew,   ///< one row moves inside the cells whose mask bit is set
    shift,  ///< some rows move to the neighbour cells
    store,  ///< rows move to their final addresses; the last shift could do this at no cost
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
  /// Moves row g by g cells, hop by hop; all rows with the same next hop move together.
  void row_shift(SystolicCount& count);
  /// The same on a ring whose cells can shift by several strides (hyper-systolic): `strides` ascend
  /// from 1, row g moves by the digits of g, largest stride first, and all rows that need a stride
  /// share its shift. Links are counted as on a plain ring, where a stride s passes s of them.
  void row_shift_by(const std::vector<int>& strides, SystolicCount& count);
  /// Skewing on machines whose cells cannot use addresses of their own (Algorithm 6, corrected):
  /// digit by digit and bit by bit, all cells go through the same addresses, and the cells whose
  /// bit is set store what they read.
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
  void store_rows();
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

/// Moves all rows that go at least `hop` hops along an axis (the shorter way round) by one hop.
/// False: there are none.
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
  store_rows();
}

template <class Block>
void SystolicArray<Block>::row_shift_by(const std::vector<int>& strides, SystolicCount& count) {
  std::vector<int> left(static_cast<std::size_t>(count_));  // the way that each row still has
  for (int g = 0; g < count_; ++g) left[static_cast<std::size_t>(g)] = g;
  for (std::size_t k = strides.size(); k-- > 0;)
    while (true) {
      SystolicStep step{.kind = SystolicStep::Kind::shift};
      for (int g = 0; g < count_; ++g) {
        int& way = left[static_cast<std::size_t>(g)];
        if (way < strides[k]) continue;
        way -= strides[k];
        count.row_hops += strides[k];
        std::vector<Block> row(static_cast<std::size_t>(count_));
        for (int i = 0; i < count_; ++i) {
          const int to = (i + strides[k]) % count_;
          row[static_cast<std::size_t>(to)] = std::move(at(g, i));
          step.moves.emplace_back(g * count_ + i, g * count_ + to);
        }
        for (int i = 0; i < count_; ++i) at(g, i) = std::move(row[static_cast<std::size_t>(i)]);
      }
      if (step.moves.empty()) break;
      ++count.shift_instructions;
      tell(step);
    }
  store_rows();
}

/// Row g is stored at -g.
template <class Block>
void SystolicArray<Block>::store_rows() {
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
      const std::vector<Block> old = blocks_;  // a copy, for the rows that wrap around
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

/// Hops and shift instructions of the row shift on this torus: in each direction, the rows that are
/// not yet at their destination move together.
SystolicCount row_shift_count(const AbelianGroup& torus);
/// Eq. (3): the sum over all strides of (l0 + 1 + l1 + 1 + l2 + 1), one direction only.
std::int64_t ring_cost(const AbelianGroup& torus);

}  // namespace weft::fabric
