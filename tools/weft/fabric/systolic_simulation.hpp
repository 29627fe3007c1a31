// SPDX-License-Identifier: BSD-3-Clause
// weft simulate on a systolic machine (APE): Algorithm 4 on numbers, with the steps of its cells.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fabric/fabric_machine.hpp"

namespace weft::tool {

struct SystolicRequest {
  std::string size, precision;
  std::vector<int> strides;  ///< on one ring of all nodes; empty: hop by hop on the torus
  bool restored = false;     ///< transpose back at the end
};

/// A matrix such as 8192^2, or one line of as many points, such as 65536. Prints unless
/// `json_only`; returns the same as a document. Throws Failed where the numbers are wrong.
nlohmann::json simulate_systolic(const fabric::FabricMachine& machine,
                                 const SystolicRequest& request, bool json_only);

}  // namespace weft::tool
