// SPDX-License-Identifier: BSD-3-Clause
// A kernel as text: one line per operation while it is a graph, one line per statement once it is
// ordered. For `weft codegen --dump`, golden files and failing tests.
#pragma once

#include <string>

#include "codelet/kernel.hpp"

namespace weft::codelet::ir {

std::string print(const Kernel& kernel);

}  // namespace weft::codelet::ir
