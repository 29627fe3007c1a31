// SPDX-License-Identifier: BSD-3-Clause
// All passes in order: from the key of a kernel to its scheduled operations. Plans for GPUs
// compile their kernels at run time, so this is part of the library; the code that writes C++ is
// not (dump.hpp, emit/emit_file.hpp).
#pragma once

#include <functional>

#include "codelet/ir/kernel.hpp"

namespace weft::codelet {

/// Runs all passes, from the formula to the scheduled kernel.
ir::Kernel compile(const KernelKey& key);

/// The same, and shows the kernel after every pass: "lower", "simplify", ...
using Observer = std::function<void(const char* pass, const ir::Kernel& kernel)>;
ir::Kernel compile(const KernelKey& key, const Observer& observer);

}  // namespace weft::codelet
