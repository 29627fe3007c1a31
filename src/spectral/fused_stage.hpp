// SPDX-License-Identifier: BSD-3-Clause
// The middle of a distributed operator: the last stage of the forward plan, the function and the
// first stage of the backward plan, tile by tile while a tile is in cache. The two plans run over
// devices that know of each other: the forward one leaves its last stage undone, and the backward
// one does it with its first.
#pragma once

#include <functional>
#include <memory>

#include "global/run/rank_device.hpp"

namespace weft::spectral {

/// What the forward plan leaves to the backward plan on this rank.
struct UndoneStage {
  global::StageProblem problem;
  reshape::Bases bases{};  ///< of the last execution
};

/// A function of a box of modes, which lie without gaps from the pointer on, row-major.
using BoxFunction = std::function<void(const Box& box, std::byte* modes)>;

/// For a plan with at least two stages, none of them of a line's matrix.
std::shared_ptr<const global::RankDevice> undoing_device(std::shared_ptr<UndoneStage> undone);
/// For a plan whose input lies as the forward plan's output does, and that is made after it.
std::shared_ptr<const global::RankDevice> fusing_device(std::shared_ptr<const UndoneStage> undone,
                                                        BoxFunction function);

}  // namespace weft::spectral
