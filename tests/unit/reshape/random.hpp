// SPDX-License-Identifier: BSD-3-Clause
// Seeded random numbers for the tests of this folder.
#pragma once

#include <random>

#include "weft/types.hpp"

namespace weft::reshape {

using Random = std::mt19937;

/// A number from low to high, both included.
inline Index pick(Random& random, Index low, Index high) {
  return low + static_cast<Index>(random() % static_cast<unsigned long>(high - low + 1));
}

}  // namespace weft::reshape
