// SPDX-License-Identifier: BSD-3-Clause
// How the digits of several tile axes share stages.
#pragma once

#include <optional>
#include <vector>

#include "gpu/recipe/tile_pass.hpp"

namespace weft::gpu {

struct Packing {
  std::vector<std::vector<int>> radices;  ///< of each tile axis
  std::vector<ButterflyStage> stages;
};

/// The packing of tile axes of the given lengths, one after another, with the fewest stages of at
/// most `most` points per thread, then the fewest points per thread, then the fewest radices. The
/// last radix of the last tile axis divides by `cluster`. Nothing where there is none.
std::optional<Packing> pack(const std::vector<Index>& lengths, int most, int cluster);

/// The packing of two tile axes whose first stage begins with the first digit of the second one;
/// the first tile axis comes next, then the rest of the second, whose last radix divides by
/// `cluster`. Of those with the fewest stages the one with the most points in the first, so that a
/// thread has many loads under way, and then the fewest in the others.
std::optional<Packing> pack_led(const std::vector<Index>& lengths, int most, int cluster);

}  // namespace weft::gpu
