// SPDX-License-Identifier: BSD-3-Clause
// The names of kernels and of what they are made of.
#pragma once

#include <string>

#include "base/names.hpp"
#include "codelet/runtime/abi.hpp"

namespace weft::codelet {

/// "avx2 f64 16 unit->planar broadcast_in scaled": for messages and listings.
std::string to_string(const KernelKey& key);
const char* to_string(Isa isa);
const char* to_string(KernelLayout layout);
const char* to_string(Twiddle twiddle);
const char* to_string(KernelTransform transform);

}  // namespace weft::codelet
