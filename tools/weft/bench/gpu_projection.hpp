// SPDX-License-Identifier: BSD-3-Clause
// A vector field made free of divergence on a GPU three ways: by an operator on all its components,
// by forward plans, a kernel over the modes and backward plans, and by cuFFT with the same kernel.
#pragma once

#include "bench/gpu_convolution.hpp"

namespace weft::tool {

/// All in turns on the same memory. The shape has at least `components` dimensions.
GpuConvolutionResult measure_projection_on_gpu(const ConvolutionRow& row,
                                               const ConvolutionOptions& options, int components,
                                               bool with_cufft);

}  // namespace weft::tool
