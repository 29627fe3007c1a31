// SPDX-License-Identifier: BSD-3-Clause
// GPUs under distributed plans: stages by device_stage.hpp, exchanges by transport.hpp.
#pragma once

#include <memory>

#include "global/run/rank_device.hpp"

namespace weft::gpu {

/// Collective: finds out which transports lead from one rank's GPU to another's. Throws on all
/// ranks or on none.
std::shared_ptr<const global::RankDevice> open_device(const weft::Device& choice, const Comm& comm);

}  // namespace weft::gpu
