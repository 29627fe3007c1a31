// SPDX-License-Identifier: BSD-3-Clause
// Pieces: the place of a box in memory, in the user's arrays or in buffers of the plan. A stage of
// a distributed transform reads and writes pieces. So it packs and unpacks messages by its own
// loads and stores, without extra copies.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "weft/distribution.hpp"

namespace weft::reshape {

/// The memory that contains a piece.
enum class Memory { input, output, send, receive, shared };
inline constexpr int memory_count = 5;

/// The start of each memory during one execution.
using Bases = std::array<std::byte*, memory_count>;

using Strides = std::array<Index, max_box_ndim>;

struct Piece {
  Box box;
  Memory memory = Memory::input;
  Index offset = 0;        ///< bytes from the memory's base to the element at box.begin
  Strides strides{};       ///< elements; may be negative
  bool conjugate = false;  ///< the memory contains the complex conjugates of the elements

  std::byte* data(const Bases& bases) const {
    return bases[static_cast<std::size_t>(memory)] + offset;
  }
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// Row-major without gaps.
Strides dense_strides(const Box& box);
/// Distance from the element at `box.begin` to the one at `at.begin`, in elements.
Index distance(const Box& box, const Strides& strides, const Box& at);
/// The piece of `part`, which lies within `piece`.
Piece sub_piece(const Piece& piece, const Box& part, Index element_bytes);

/// The user's boxes as pieces, with all defaults filled in and without empty boxes. Throws
/// weft::Error for orders that are not permutations, wrong lengths, negative margins, strides that
/// make elements overlap, and boxes that reach before the pointer or too far after it.
std::vector<Piece> pieces_of(const LocalBoxes& boxes, Memory memory, Index element_bytes);
/// Number of elements from the pointer to the end of the last box.
Index footprint(std::span<const Piece> pieces, Index element_bytes);
/// Whether the pieces fill their footprint without gaps, so that it may be used as a buffer.
bool is_dense(std::span<const Piece> pieces, Index element_bytes);

/// Merges pieces that are neighbours both in the array and in memory.
std::vector<Piece> merged(std::vector<Piece> pieces, Index element_bytes);
/// The parts of the pieces inside a box, merged where possible.
std::vector<Piece> pieces_within(std::span<const Piece> pieces, const Box& box,
                                 Index element_bytes);

}  // namespace weft::reshape
