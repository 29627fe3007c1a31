// SPDX-License-Identifier: BSD-3-Clause
// The statements that a scheduler orders: loads of input groups, computations, stores of output
// groups, with the register values each one reads and defines. Constants and the scale are memory
// operands of the statement that uses them and do not appear.
#pragma once

#include <vector>

#include "codelet/groups.hpp"
#include "codelet/kernel.hpp"

namespace weft::codelet::ir {

struct Task {
  Step step;
  std::vector<Value> reads;
  std::vector<Value> defines;
};

/// All tasks of a kernel that has no steps yet; loads first, then computations, then stores.
std::vector<Task> tasks_of(const Kernel& kernel);

/// Vector registers of the instruction set that a kernel may fill.
int register_count(Isa isa);

}  // namespace weft::codelet::ir
