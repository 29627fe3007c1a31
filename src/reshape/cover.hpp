// SPDX-License-Identifier: BSD-3-Clause
// Whether the boxes of all ranks together make up the array.
#pragma once

#include <span>

#include "reshape/array_distribution.hpp"

namespace weft::reshape {

enum class Cover {
  exact,    ///< every element belongs to exactly one box
  at_least  ///< elements may belong to several boxes
};
/// Throws weft::Error if boxes exceed the array, overlap or leave gaps; the message names the
/// ranks. `what` ("input" or "output") is for the message.
void check_cover(const ArrayDistribution& distribution, std::span<const Index> shape, Cover cover,
                 const char* what);

/// Whether the boxes, which lie inside the array, contain every element exactly once.
bool is_partition(const ArrayDistribution& distribution, std::span<const Index> shape);

}  // namespace weft::reshape
