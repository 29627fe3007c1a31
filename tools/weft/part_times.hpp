// SPDX-License-Identifier: BSD-3-Clause
// How long each step of a plan takes.
#pragma once

#include <string>
#include <vector>

#include "weft/plan.hpp"

namespace weft::tool {

struct PartTime {
  std::string name;  ///< "copy", "step 1", "other half" of a spectrum
  double seconds = 0;
};

/// The parts of an execution, one after the other, out of place on random data: medians of a few
/// executions. A plan with one part has the time of that one.
std::vector<PartTime> time_parts(const Plan& plan, const PlanOptions& options);

}  // namespace weft::tool
