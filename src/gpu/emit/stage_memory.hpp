// SPDX-License-Identifier: BSD-3-Clause
// The text of points on their way between memory and the registers of a stage: from the arrays of a
// pass in all their forms, and to them.
#pragma once

#include <string>

#include "gpu/emit/stage_text.hpp"

namespace weft::gpu {

class StageMemory : protected StageText {
 protected:
  using StageText::StageText;

  int half_tile_axis() const;
  bool is_done_before(int tile_axis, int stage) const;
  /// The condition under which the task's columns exist; empty: they do.
  std::string inside() const;
  void emit_load();
  /// Register j, scaled if the pass scales.
  std::string result(Index j, const std::string& registers = "x") const;
  void emit_store();

 private:
  /// Whether the digits of a tile axis have no distances of their own.
  bool is_in_blocks(const Digit& d, bool is_output) const;
  static bool has_scattered_digits(const TileAxis& tile_axis, bool is_output);
  /// What the indices of tile axes in blocks or turned add to the address of register j.
  std::string block_offset(bool is_output, Index j) const;
  /// Of the index of a tile axis in register j: the least that it can be, and how much more.
  struct IndexRange {
    Index least = 0, span = 0;
  };
  IndexRange index_range(int p, bool is_output, Index j) const;
  /// Under which condition the point in register j is in memory: an axis may have fewer there.
  /// Empty: it is; "false": it is not.
  std::string kept(bool is_output, Index j) const;
  /// From where a point of a turned tile axis would be to where it is: known for most registers.
  std::string turn(int p, bool is_output, Index j) const;
  /// From the place of point k of the axis to that of its mirror, n - k.
  static std::string to_mirror(Index n, Index j, Index distance);
  /// Bluestein of a split axis: n points times their chirps, then zeros.
  void emit_entry_load(const std::string& condition);
  /// Where two real numbers of a line are a point: their distance in memory; elsewhere 0. Where
  /// neither strides nor the address that the user gives are in the way they are read and written
  /// together.
  Index reals_apart(bool is_output) const;
  bool may_be_together(bool is_output) const;
  void emit_reals_load(const std::string& condition);
  void emit_reals_store();
  void emit_folded_load(const std::string& condition);
  /// Rows of the other part that are their own mirror have both halves of their outputs themselves.
  void emit_folded_store();
  /// Columns that are their own mirror: the mean of each point and its mirror's conjugate.
  void emit_hermitian_load();
  /// Registers that hold planes of B are first loaded with v, the others with u. The factor 1/2 is
  /// in the tile's scale.
  void emit_untangling_load(const std::string& condition);
  /// The indices i of loops that have a mirror, their mirrors m, and `back` moved to those.
  void emit_mirrored(Index Loop::* distance, Index Loop::* far);
  /// The column in the middle of a turned axis is in the last place.
  void emit_turn(const char* pointer, Index Loop::* distance, Index Loop::* far);
  /// Above the middle a half spectrum continues with its own conjugate, backwards.
  std::string mirrored_load(int half, Index j, Index offset) const;
  /// Bluestein, first pass: n points times their chirps, then zeros.
  std::string chirped_load(Index j, const std::string& value) const;
  /// Bluestein, either pass: the factor of output k, and in the second pass only n outputs.
  std::string chirped_store(Index j, Index offset);
  void emit_tangling_store();
};

}  // namespace weft::gpu
