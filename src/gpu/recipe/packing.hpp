// SPDX-License-Identifier: BSD-3-Clause
// How the digits of several pieces share stages.
#pragma once

#include <optional>
#include <vector>

#include "gpu/recipe/tile_pass.hpp"

namespace weft::gpu {

struct Packing {
  std::vector<std::vector<int>> radices;  ///< of each piece
  std::vector<Stage> stages;
};

/// The packing of pieces of the given lengths, one after another, with the fewest stages of at most
/// `most` points per thread, then the fewest points per thread, then the fewest radices. The last
/// radix of the last piece divides by `cluster`. Nothing where there is none.
std::optional<Packing> pack(const std::vector<Index>& lengths, int most, int cluster);

/// The packing of two pieces whose first stage begins with the first digit of the second one; the
/// first piece comes next, then the rest of the second, whose last radix divides by `cluster`. Of
/// those with the fewest stages the one with the most points in the first, so that a thread has
/// many loads under way, and then the fewest in the others.
std::optional<Packing> pack_led(const std::vector<Index>& lengths, int most, int cluster);

}  // namespace weft::gpu
