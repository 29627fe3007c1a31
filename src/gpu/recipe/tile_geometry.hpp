// SPDX-License-Identifier: BSD-3-Clause
// Where every point of a tile is: in memory, in shared memory, in which thread. Worked out on the
// host from a TilePass; the emitted text holds the results as constants.
#pragma once

#include <span>
#include <vector>

#include "gpu/recipe/tile_pass.hpp"

namespace weft::gpu {

struct Digit {
  int tile_axis = -1;  ///< -1: iterations of a loop that lie within the tile
  int position = 0;    ///< within the tile axis; for a loop its number; -1: a row or its twin
  int extent = 1;      ///< values in the whole tile
  int local = 1;       ///< values that one block of the cluster holds before the last stage
  Index in = 0, out = 0;
  Index shared = 0;  ///< distance in shared memory, in complex numbers
  int stage = -1;    ///< where it is transformed; -1: nowhere
};

class Geometry {
 public:
  /// A block holds its part of so many tiles side by side, which lie alike.
  explicit Geometry(const TilePass& pass, int held = 1);
  /// Of a pass that takes a tile back from where `forward` leaves it in registers: its digits are
  /// those of `forward` in the reversed order, and every point keeps its place in shared memory.
  Geometry(const TilePass& backward, const Geometry& forward);

  const std::vector<Digit>& digits() const { return digits_; }
  const Digit& digit(int d) const { return digits_[static_cast<std::size_t>(d)]; }
  int find(DigitName name) const;
  int last_stage() const { return static_cast<int>(pass_.stages.size()) - 1; }
  /// The digit that is spread over the cluster but in the crossing stage, or -1.
  int cluster_digit() const { return cluster_digit_; }
  /// The stage that reaches across the cluster: that of the pass, or the first of a tile on its way
  /// back.
  int crossing_stage() const { return crossing_stage_; }

  std::vector<int> active(int stage) const;
  /// The other digits in the order of a thread's number, fastest first. In a combining stage those
  /// of the line follow each other, and are one digit of pairs().
  const std::vector<int>& order(int stage) const {
    return orders_[static_cast<std::size_t>(stage)];
  }
  Index radix(int stage) const;          ///< points that are transformed at once
  Index tasks(int stage) const;          ///< of one block
  Index tasks_of_tile(int stage) const;  ///< of all blocks of a cluster

  /// Of halved lines the combining stage. The other digits of the line make up an index i <
  /// rests(), in the output of r2c, in the input of c2r; one task does i and rests() - i together.
  /// Pair 0 is of those that are their own partners: 0, and if there is one the middle. Of twin
  /// rows it does i of the one and rests() - 1 - i of the other, or in row 0 rests() - i.
  bool is_combining(int stage) const { return stage == combining_stage_; }
  Index rests() const { return rests_; }
  Index pairs() const { return twin_digit_ >= 0 ? rests_ : (rests_ + 1) / 2; }
  Index weight_in_rest(int d) const;
  int twin_digit() const { return twin_digit_; }  ///< 0: a row, 1: its twin; no such digit: -1

  Index points() const;  ///< of the tile
  int held() const { return held_; }
  /// Of one tile in a block's shared memory, with its gaps; 0: not needed.
  Index shared_points() const;
  std::size_t shared_bytes() const;  ///< of all tiles that a block holds
  Index tiles() const;

 private:
  /// Of the tile in shared memory: the distance of each digit, and what all of them take.
  struct Arrangement {
    std::vector<Index> distances;
    Index size = 1;
  };

  void make_digits();
  void spread_over_cluster();
  std::vector<Arrangement> arrangements() const;
  void place_in_shared_memory();
  Index distance(int d, bool is_output) const;
  void arrange(int stage);

  const TilePass& pass_;
  std::vector<Digit> digits_;
  std::vector<std::vector<int>> orders_;
  int cluster_digit_ = -1, crossing_stage_ = 0, combining_stage_ = -1, twin_digit_ = -1;
  Index rests_ = 1;
  Index shared_points_ = 0;
  int held_ = 1;
};

/// Where an axis lies in blocks: does every digit stay within a block or step over whole ones? Then
/// it has one distance, which Digit gives, and addresses are sums as elsewhere.
bool has_plain_blocks(const TileAxis& tile_axis, bool is_output);

/// Cycles in which shared memory serves the accesses of one warp: `offsets` in elements of
/// `element_bytes` (4, 8 or 16), 32 banks of 4 bytes; lanes that read the same word share it.
int wavefronts(std::span<const Index> offsets, int element_bytes);

}  // namespace weft::gpu
