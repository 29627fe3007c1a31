// SPDX-License-Identifier: BSD-3-Clause
// Candidate orders of a kernel's tasks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codelet/tasks.hpp"

namespace weft::codelet::ir {

struct DemandOptions {
  std::uint32_t seed = 0;  ///< permutes stores and operands; 0 leaves them as they stand
  int horizon = 16;        ///< values touched longer ago are taken to have left the registers
};

/// Depth first from the stores. Whenever a set of tasks with the same operands can run without
/// leaving more values alive than before, and its operands are within the horizon, it runs at once:
/// both halves of a butterfly stay together, and so do the butterflies of a small transform, while
/// those that would bring values back from the stack wait until they are asked for.
std::vector<int> demand_order(std::span<const Task> tasks, int value_count,
                              const DemandOptions& options);

/// The same tasks moved apart: of the next `window` tasks the first one whose operands have arrived
/// runs, so that results are not waited for. A window of 1 changes nothing.
std::vector<int> spread_order(std::span<const Task> tasks, int value_count,
                              std::span<const int> order, int window);

}  // namespace weft::codelet::ir
