// SPDX-License-Identifier: BSD-3-Clause
// The devices that the two plans of a fused operator run on: they know of each other. The forward
// one leaves its last stage undone, and the backward one does it with its first.
#pragma once

#include <memory>

#include "spectral/fused_fields.hpp"
#include "spectral/rank_modes.hpp"

namespace weft::spectral {

/// What the devices share: who does the work, and how many fields there are.
struct PairWork {
  std::shared_ptr<const global::RankDevice> device;
  int inputs = 1, outputs = 1;
  std::shared_ptr<FieldArrays> in, out;  ///< of the execution that is under way
  std::shared_ptr<UndoneStage> undone;
  bool takes_planes = false;  ///< of one field, on a CPU
  bool use_wisdom = true;
};

/// For a plan with at least two stages, none of them of a line's matrix.
std::shared_ptr<const global::RankDevice> undoing_device(const PairWork& work);
/// For a plan whose input lies as the forward plan's output does, and that is made after it.
std::shared_ptr<const global::RankDevice> fusing_device(const PairWork& work, RankModes& modes);

}  // namespace weft::spectral
