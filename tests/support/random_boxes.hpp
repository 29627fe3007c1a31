// SPDX-License-Identifier: BSD-3-Clause
// Random distributions of an array over ranks.
#pragma once

#include <random>
#include <vector>

#include "weft/distribution.hpp"

namespace weft::test {

using Twister = std::mt19937;

inline int pick(Twister& random, int low, int high) {
  return static_cast<int>(random() % static_cast<unsigned>(high - low + 1)) + low;
}
inline bool chance(Twister& random, int percent) { return pick(random, 1, 100) <= percent; }

/// By rank: bricks, slabs, pencils, cyclic blocks or any cuts, with storage orders, margins and
/// empty boxes. `replicated`: some boxes twice.
std::vector<LocalBoxes> random_boxes(Twister& random, const std::vector<Index>& shape, int ranks,
                                     bool replicated);

}  // namespace weft::test
