// SPDX-License-Identifier: BSD-3-Clause
// FP16 vector programs with the host's conversions. Private to kernel.cpp.
#pragma once

#include "fabric/wafer/kernel.hpp"

namespace weft::fabric {

bool can_run_f16_vectors();
void run_f16_vectors(std::span<const VectorInstruction> instructions, float* memory);

}  // namespace weft::fabric
