// SPDX-License-Identifier: BSD-3-Clause
// The form of a function of the modes as text for GPUs, and the numbers that the text reads.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/emit/mode_text.hpp"
#include "spectral/expression_program.hpp"
#include "spectral/operator_problem.hpp"

namespace weft::spectral {

/// Numbers that the text reads from device memory.
struct ModeNumbers {
  std::vector<unsigned char> bytes;  ///< to be copied there
  const void* on_device = nullptr;   ///< the caller's own, if any
  const void* on_host = nullptr;     ///< to be copied from here, `host_bytes`
  std::size_t host_bytes = 0;
};

struct ModeFunctionOnGpu {
  gpu::ModeFunctionText text;
  ModeNumbers numbers;
};

gpu::ModeGrid mode_grid(const OperatorProblem& problem);

/// Throws weft::Error if the function has no form for GPUs (unsupported) or one that does not go
/// with the problem (invalid_argument).
ModeFunctionOnGpu mode_function_on_gpu(const ModeFunction& function,
                                       const OperatorProblem& problem);

/// Statements for the instructions of a program, one constant each.
gpu::ModeFunctionText text_of(const ExpressionProgram& program, int axes);

}  // namespace weft::spectral
