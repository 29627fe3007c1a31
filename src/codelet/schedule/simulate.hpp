// SPDX-License-Identifier: BSD-3-Clause
// A small model of an out-of-order core: the number of cycles per repetition of a kernel when many
// repetitions run one after another. It is for comparing orders of the same statements, not for
// predicting times.
#pragma once

#include <span>

#include "codelet/ir/kernel.hpp"

namespace weft::codelet::ir {

int simulated_cycles(const Kernel& kernel, std::span<const Statement> statements);

}  // namespace weft::codelet::ir
