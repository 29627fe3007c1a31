// SPDX-License-Identifier: BSD-3-Clause
// Prints a kernel: before scheduling one line per operation, after it one line per statement. For
// `weft codegen --dump`, golden files and messages of failing tests.
#pragma once

#include <string>

#include "codelet/ir/kernel.hpp"

namespace weft::codelet::ir {

std::string print(const Kernel& kernel);

}  // namespace weft::codelet::ir
