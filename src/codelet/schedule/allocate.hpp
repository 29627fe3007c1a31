// SPDX-License-Identifier: BSD-3-Clause
// Register allocation: decides which values are spilled to the stack and when they are reloaded.
// The value whose next use is farthest away is spilled [Belady 1966]; a value is written to its
// slot only once.
#pragma once

#include <span>
#include <vector>

#include "codelet/schedule/tasks.hpp"

namespace weft::codelet::ir {

struct Allocation {
  std::vector<Statement> statements;  ///< the tasks in order with spills and reloads between them
  int spills = 0;
  int reloads = 0;
  int slots = 0;
};

/// Allocates `registers` registers for the tasks in this order (indices of tasks).
Allocation allocate_registers(std::span<const Task> tasks, std::span<const int> order,
                              int value_count, int registers);

}  // namespace weft::codelet::ir
