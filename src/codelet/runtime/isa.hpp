// SPDX-License-Identifier: BSD-3-Clause
// The instruction sets that plans may choose from.
#pragma once

#include <vector>

#include "codelet/runtime/abi.hpp"

namespace weft::codelet {

/// Instruction sets that this build, this CPU and this operating system support, slowest first.
/// WEFT_ISA=scalar|neon|avx2|avx512 in the environment removes those above the given one.
std::vector<Isa> available_isas();
Isa best_isa();  ///< the last of available_isas()

}  // namespace weft::codelet
