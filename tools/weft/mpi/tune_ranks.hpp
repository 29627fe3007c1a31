// SPDX-License-Identifier: BSD-3-Clause
// weft tune under mpiexec: distributed recipes, and the speeds of the network.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "weft/distributed.hpp"

namespace weft::tool {

/// Collective. Measures the network, then recipes for slabs along the first axis, in and out, as
/// `weft fft` cuts files; adds all to the wisdom of this process. Rank 0 prints unless
/// `json_only`; the same as a document.
nlohmann::json tune_ranks(const std::vector<std::pair<Transform, PlanOptions>>& todo,
                          const Comm& comm, bool json_only);

}  // namespace weft::tool
