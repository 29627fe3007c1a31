// SPDX-License-Identifier: BSD-3-Clause
// weft tune under mpiexec: tunes distributed recipes and measures the network.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "weft/distributed.hpp"

namespace weft::tool {

/// Collective. Measures the network, then times recipes whose input and output are slabs along the
/// first axis, as `weft fft` divides files. Adds the results to the wisdom of this process and
/// returns them as JSON. Rank 0 also prints them unless `json_only`.
nlohmann::json tune_ranks(const std::vector<std::pair<Transform, PlanOptions>>& todo,
                          const Comm& comm, bool json_only);

}  // namespace weft::tool
