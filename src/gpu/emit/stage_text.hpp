// SPDX-License-Identifier: BSD-3-Clause
// What the text of every stage is made of: digits and indices of a task, and the transform of a
// digit in registers with its factors. In the text d3 is the value of digit 3 within the block, c3
// within the tile.
#pragma once

#include <string>
#include <vector>

#include "base/format.hpp"
#include "codelet/emit/text_writer.hpp"
#include "gpu/recipe/tables.hpp"
#include "gpu/recipe/tile_geometry.hpp"

namespace weft::gpu {

class StageText : protected codelet::TextWriter {
 public:
  StageText(const TilePass& pass, const Geometry& geometry, const Tables& tables, int stage);

 protected:
  const TileAxis& piece_of(const Digit& d) const;

  /// In a combining stage the digits of the line are one: `pair`.
  void emit_digits();
  /// The digits of the line from the index `rest`, see Geometry::rests.
  void emit_digits_of_rest();
  /// Of twin rows the index `row` of the one that `twin` says, and whether it is the other one,
  /// too.
  void emit_row(const std::string& twin);
  Index row_mirror() const;
  /// The loop over the rows and their twins, or -1. Their addresses are not sums.
  int row_loop() const;
  bool is_row_digit(const Digit& d) const {
    return d.tile_axis < 0 && d.position >= 0 && d.position == row_loop();
  }
  /// Digits that are not in registers, each with its distance: "c1 * 64 + c2 * 8".
  template <class Stride>
  std::string sum(const char* letter, const char* type, const Stride& stride) const {
    std::string text;
    for (int d : geometry_.order(stage_)) {
      if (stride(geometry_.digit(d)) == 0) continue;
      text += weft::format("{}{}({}{}) * {}", text.empty() ? "" : " + ", type, letter, d,
                           stride(geometry_.digit(d)));
    }
    return text.empty() ? "0" : text;
  }

  /// Calls visit(j, offset) for every register, offset being the sum of stride over active digits.
  template <class Stride, class Visit>
  void for_registers(const Stride& stride, const Visit& visit) const {
    const Index count = geometry_.radix(stage_);
    for (Index j = 0; j < count; ++j) {
      Index rest = j, offset = 0;
      for (std::size_t a = active_.size(); a-- > 0;) {
        const Digit& d = geometry_.digit(active_[a]);
        offset += rest % d.extent * stride(d);
        rest /= d.extent;
      }
      visit(j, offset);
    }
  }
  /// Value of active digit `d` in register j.
  Index value_in(Index j, int d) const;
  /// Index of a tile axis's input (output) as text; digits in registers take their value for j.
  std::string tile_axis_index(int tile_axis, bool is_output, Index j) const;
  /// The same in the whole axis that the tile axis is a part of.
  std::string whole_index(int tile_axis, bool is_output, Index j) const;
  /// Of the task, whether tiles hold one iteration of the loop or several.
  std::string loop_index(int l) const;
  std::string loop_count(int l) const;  ///< the same, of a row and its twin that of the row

  /// Where a pass multiplies by the twiddles of a split axis as it reads, the scale is in them.
  bool scales_twiddles() const;
  /// Factors and butterflies of active digit number a.
  void emit_transform(std::size_t a);

  const TilePass& pass_;
  const Geometry& geometry_;
  const Tables& tables_;
  int stage_;
  bool is_first_, is_last_, is_crossing_, chirped_;
  std::vector<int> active_;

 private:
  /// Reads the factors of a digit, and applies them unless its transform does. Reading a table as
  /// long as a tile would take too long: of a long table only the factors for powers of two are
  /// read and multiplied to get the others.
  void emit_twist(const Digit& digit, const Twist& twist, Index inner);
  /// exp(-2 pi i n i / whole), n the tile axis's input or output index, i that of the other part.
  /// Where the table is in two parts only the factors of powers of two of the digit are read, and
  /// the others are products of at most one of each.
  void emit_split_twiddles(const Digit& digit, std::size_t a);
};

}  // namespace weft::gpu
