// SPDX-License-Identifier: BSD-3-Clause
// Turns a scheduled kernel into C++ text that calls the operations of codelet/simd. Deterministic:
// the same kernel gives the same text, byte for byte.
#pragma once

#include <string>

#include "codelet/ir/kernel.hpp"

namespace weft::codelet::ir {

/// "radix16_unit_planar_broadcast_in": unique within one emitted file.
std::string function_name(const KernelKey& key);
std::string emit_function(const Kernel& kernel);

}  // namespace weft::codelet::ir
