// SPDX-License-Identifier: BSD-3-Clause
// weft simulate --stream: arrays that one wafer does not hold, through the link to the host or on
// several wafers.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "arguments.hpp"
#include "fabric/fabric_machine.hpp"

namespace weft::tool {

struct StreamRequest {
  bool is_asked = false;
  int wafers = 1;
  double link_bits_per_s = 0;  ///< 0: the machine's link to its host
  std::string level = "wavelets";
};

/// Prints unless `json_only`; returns the same as a document. With numbers up to 2^24 points, else
/// formulas. Throws Failed where the numbers are wrong.
nlohmann::json simulate_stream(const fabric::FabricMachine& machine, const WaferArguments& wafer,
                               const StreamRequest& request, bool json_only);

}  // namespace weft::tool
