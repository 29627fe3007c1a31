// SPDX-License-Identifier: BSD-3-Clause
// A small model of an out-of-order core: how many cycles one repetition of a kernel takes when
// repetitions follow each other. It ranks orders of the same statements; it does not predict.
#pragma once

#include <span>

#include "codelet/kernel.hpp"

namespace weft::codelet::ir {

int simulated_cycles(const Kernel& kernel, std::span<const Step> steps);

}  // namespace weft::codelet::ir
