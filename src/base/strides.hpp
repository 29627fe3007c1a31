// SPDX-License-Identifier: BSD-3-Clause
// Checks that the distances of a strided array's elements fit in 64 bits, and that no two of them
// share memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "weft/types.hpp"

namespace weft {

/// The largest distance in elements for which, with elements of up to 32 bytes, byte distances
/// still fit in 64 bits, with some room.
inline constexpr Index farthest_element = INT64_MAX / 64;

/// The memory that an array spans: elements from `low` to `high`, inclusive, counted from its first
/// element.
struct Reach {
  Index low = 0, high = 0;
};

/// Whether elements may share an address, as those of an array that is only read may.
enum class Sharing { refused, allowed };

/// Throws weft::Error if the array's size in bytes does not fit in 64 bits or two elements share an
/// address that may not. Strides are in elements, extents at least 1; sorted by magnitude, each
/// stride must be larger than the span of the dimensions with smaller strides. The message begins
/// with `what`, such as "the input layout".
Reach check_strides(std::span<const Index> extents, std::span<const Index> strides,
                    const std::string& what, Sharing sharing = Sharing::refused);

}  // namespace weft
