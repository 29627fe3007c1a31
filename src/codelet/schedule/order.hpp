// SPDX-License-Identifier: BSD-3-Clause
// Candidate orders of a kernel's tasks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codelet/schedule/tasks.hpp"

namespace weft::codelet::ir {

struct DemandOptions {
  std::uint32_t seed = 0;  ///< shuffles stores and operands; 0: original order
  int horizon = 16;        ///< values not used for this many steps count as spilled
};

/// Depth-first from the stores. A set of tasks with the same operands runs at once if the number of
/// live values does not grow and its operands are within the horizon. So both halves of a butterfly
/// stay together, and so do the butterflies of a small transform; tasks that would need reloads
/// wait until a store needs them.
std::vector<int> demand_order(std::span<const Task> tasks, int value_count,
                              const DemandOptions& options);

/// Reorders tasks to hide latencies: of the next `window` tasks, the first one whose operands are
/// ready runs. A window of 1 changes nothing.
std::vector<int> spread_order(std::span<const Task> tasks, int value_count,
                              std::span<const int> order, int window);

}  // namespace weft::codelet::ir
