// SPDX-License-Identifier: BSD-3-Clause
// The cycles of one pencil by the paper's formula, and the memory of a kernel.
#pragma once

#include <cmath>
#include <vector>

#include "fabric/wafer/kernel.hpp"

namespace weft::fabric {

/// a n log2 n + b n + c log2 n.
struct PencilFormula {
  double n_log2_n = 0, n = 0, log2_n = 0;
  double cycles(std::int64_t length) const {
    const auto count = static_cast<double>(length);
    return n_log2_n * count * std::log2(count) + n * count + log2_n * std::log2(count);
  }
};

/// Resizes the memory for kernel_lanes pencils and writes the constants.
inline void load_constants(const KernelProgram& program, std::vector<float>& memory) {
  memory.resize(static_cast<std::size_t>(program.memory_reals) * kernel_lanes);
  for (std::size_t k = 0; k < program.constants.size(); ++k)
    for (std::size_t lane = 0; lane < kernel_lanes; ++lane)
      memory[(static_cast<std::size_t>(program.constants_base) + k) * kernel_lanes + lane] =
          program.constants[k];
}

}  // namespace weft::fabric
