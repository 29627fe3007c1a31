// SPDX-License-Identifier: BSD-3-Clause
// Whether pieces of one memory share elements.
#pragma once

#include <span>

#include "reshape/piece.hpp"

namespace weft::reshape {

/// Whether two pieces of one memory share an element. check_strides() must accept the strides. Also
/// returns true if finding the exact answer would take too long.
bool share_memory(const Piece& a, const Piece& b, Index element_bytes);
/// Throws weft::Error if two of the pieces, all in one memory, share an element.
void check_apart(std::span<const Piece> pieces, Index element_bytes);

}  // namespace weft::reshape
