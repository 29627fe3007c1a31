// SPDX-License-Identifier: BSD-3-Clause
// The middle of a distributed operator on CPUs: the last stage of the forward plan, the function
// and the first stage of the backward plan, tile by tile while a tile of all fields is in cache: in
// place where both plans keep the array in the same memory, else through a buffer.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "global/run/rank_device.hpp"
#include "spectral/rank_modes.hpp"

namespace weft::spectral {

/// A function of a box of modes, whose fields begin at these pointers.
using BoxFunction = std::function<void(const Box& box, const reshape::Strides& strides,
                                       std::span<std::byte* const> fields)>;

struct FusedMiddle {
  std::shared_ptr<const UndoneStage> undone;
  int inputs = 1, outputs = 1;
  BoxFunction function;
};
std::unique_ptr<global::RunnableStage> make_fused_stage(FusedMiddle middle,
                                                        const global::StageProblem& next,
                                                        const global::StageOptions& options);

/// Bytes of the smallest tile of all fields. A tile is never cut along some axes, which have
/// `points` modes together; along the last dimension, of `row` modes, it may be.
Index least_tile_bytes(Index points, Index row, int fields, Index element_bytes);
/// Bytes of the largest tile: as many as the second cache holds.
Index most_tile_bytes();

}  // namespace weft::spectral
