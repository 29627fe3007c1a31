// SPDX-License-Identifier: BSD-3-Clause
// Operators on the GPU against those of the CPU.
#pragma once

#include <string>
#include <vector>

#include "gpu/device/engine.hpp"

namespace weft::tool {

struct OperatorTests {
  int count = 0, failures = 0;
};
/// Those whose description contains `filter`; every one in place and not, and as a graph.
OperatorTests test_operators(bool is_verbose, const std::string& filter);

/// What the tests would run where a function is inside a pass, for a machine without a GPU.
std::vector<gpu::PassKernel> operator_kernels();

}  // namespace weft::tool
