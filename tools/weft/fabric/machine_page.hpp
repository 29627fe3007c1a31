// SPDX-License-Identifier: BSD-3-Clause
// One HTML page about a machine: its numbers and where they come from, what it is predicted to take
// for a transform, and its rate by size and by nodes.
#pragma once

#include "prediction.hpp"

namespace weft::tool {

/// `name` as in PredictionRequest: its file is printed on the page.
std::string machine_page(const fabric::FabricMachine& machine, const PredictionRequest& request);

}  // namespace weft::tool
