// SPDX-License-Identifier: BSD-3-Clause
// The statements that the scheduler orders: loads of input groups, computations, stores of output
// groups, with the values that each one reads and defines. Constants and the scale are memory
// operands of the statement that uses them, so they are not listed.
#pragma once

#include <vector>

#include "codelet/ir/groups.hpp"
#include "codelet/ir/kernel.hpp"

namespace weft::codelet::ir {

struct Task {
  Statement statement;
  std::vector<Value> reads;
  std::vector<Value> defines;
};

/// All tasks of a kernel that has no statements yet; loads first, then computations, then stores.
std::vector<Task> tasks_of(const Kernel& kernel);

/// Number of vector registers that a kernel may use.
int register_count(Isa isa);

}  // namespace weft::codelet::ir
