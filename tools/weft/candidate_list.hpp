// SPDX-License-Identifier: BSD-3-Clause
// The recipes that the planner considers, with predicted and measured times, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "local/choose/planner.hpp"

namespace weft::tool {

void print_candidates(const local::Comparison& comparison);
nlohmann::json candidates_json(const local::Comparison& comparison);

}  // namespace weft::tool
