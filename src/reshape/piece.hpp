// SPDX-License-Identifier: BSD-3-Clause
// Pieces: where the elements of a box lie, in the user's arrays or in buffers of the plan. A stage
// of a distributed transform reads pieces and writes pieces; that is how packing rides on loads and
// stores that happen anyway.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "weft/distribution.hpp"

namespace weft::reshape {

/// Which memory a piece lies in.
enum class Memory { input, output, send, receive, shared };
inline constexpr int memory_count = 5;

/// Where each memory begins during one execution.
using Bases = std::array<std::byte*, memory_count>;

using Strides = std::array<Index, max_box_ndim>;

struct Piece {
  Box box;
  Memory memory = Memory::input;
  Index offset = 0;        ///< bytes from the memory's base to the element at box.begin
  Strides strides{};       ///< elements; may be negative
  bool conjugate = false;  ///< the memory holds the conjugates of the box's elements

  std::byte* data(const Bases& bases) const {
    return bases[static_cast<std::size_t>(memory)] + offset;
  }
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// Row-major without gaps.
Strides dense_strides(const Box& box);
/// Elements from the element at `box.begin` to the one at `at.begin`.
Index distance(const Box& box, const Strides& strides, const Box& at);
/// The piece of `part`, which lies within `piece`.
Piece sub_piece(const Piece& piece, const Box& part, Index element_bytes);

/// The user's boxes as pieces, every default filled in. Throws weft::Error for orders that are not
/// permutations, wrong lengths, negative margins.
std::vector<Piece> pieces_of(const LocalBoxes& boxes, Memory memory, Index element_bytes);
/// Elements from the first to behind the last one that the boxes touch.
Index footprint(std::span<const Piece> pieces, Index element_bytes);
/// Whether the pieces fill their footprint without gaps, so that it may serve as a buffer.
bool is_dense(std::span<const Piece> pieces, Index element_bytes);

/// Joins neighbouring pieces that lie in memory as one.
std::vector<Piece> merged(std::vector<Piece> pieces, Index element_bytes);
/// The parts of pieces that lie in a box, joined where they lie together.
std::vector<Piece> pieces_within(std::span<const Piece> pieces, const Box& box,
                                 Index element_bytes);

}  // namespace weft::reshape
