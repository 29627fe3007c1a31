// SPDX-License-Identifier: BSD-3-Clause
// A flow in the memory of a GPU. Only sums, pictures and checkpoints come back.
#pragma once

#include <memory>

#include "turbulence/flow.hpp"

namespace weft::apps {

std::unique_ptr<Flow> gpu_flow(const Team& team, const FlowOptions& options);

}  // namespace weft::apps
