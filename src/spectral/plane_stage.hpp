// SPDX-License-Identifier: BSD-3-Clause
// A stage of a distributed operator that transforms several axes of one box, plane by plane
// (plane_sweep.hpp).
#pragma once

#include <memory>

#include "global/run/rank_device.hpp"

namespace weft::spectral {

/// Null for a stage that is not one strided array on both sides, or where planes do not fit into a
/// cache. Throws on this rank alone.
std::unique_ptr<global::RunnableStage> make_plane_stage(const global::StageProblem& problem,
                                                        const global::StageOptions& options,
                                                        bool use_wisdom);

}  // namespace weft::spectral
