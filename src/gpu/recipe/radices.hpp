// SPDX-License-Identifier: BSD-3-Clause
// Which radices a transform is made of.
#pragma once

#include <vector>

#include "weft/types.hpp"

namespace weft::gpu {

/// Radices that have a butterfly worth its registers.
inline constexpr int offered_radices[] = {2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                                          15, 16, 18, 20, 21, 24, 25, 27, 28, 30, 32, 49, 64};

/// Radices of a transform of n points, most even, in as few stages as `largest` permits; empty when
/// n has a prime factor over 13 that is larger than `largest`.
std::vector<int> choose_radices(Index n, int largest);

}  // namespace weft::gpu
