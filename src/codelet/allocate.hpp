// SPDX-License-Identifier: BSD-3-Clause
// Where values live: decides which of them leave the registers and when they come back. The value
// whose next use is farthest away is spilled [Belady 1966]; a value is written to its slot once.
#pragma once

#include <span>
#include <vector>

#include "codelet/tasks.hpp"

namespace weft::codelet::ir {

struct Allocation {
  std::vector<Step> steps;  ///< the tasks in order with spills and reloads between them
  int spills = 0;
  int reloads = 0;
  int slots = 0;
};

/// Executes `order` (indices of tasks) on `registers` registers.
Allocation allocate_registers(std::span<const Task> tasks, std::span<const int> order,
                              int value_count, int registers);

}  // namespace weft::codelet::ir
