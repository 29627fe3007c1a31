// SPDX-License-Identifier: BSD-3-Clause
// A convolution with a Gaussian on a GPU three ways: by an operator, by weft's forward plan, a
// kernel that multiplies the spectrum and the backward plan, and by cuFFT with the same kernel.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bench/convolution.hpp"
#include "bench/cufft.hpp"
#include "bench/gpu_clock.hpp"

namespace weft::tool {

struct GpuConvolutionResult {
  ConvolutionRow row;
  double operator_ms = 0, steps_ms = 0;  ///< medians
  std::optional<double> cufft_ms;
  double difference = 0;  ///< of the operator's result from that of the steps, relative L2
  double passes = 0;
  double workspace_bytes = 0;
  std::string explanation;
};

/// A transform by cuFFT, and the one back.
struct CufftPair {
  explicit CufftPair(const ConvolutionRow& row);
  std::unique_ptr<CufftPlan> there, back;
};

/// Fills in the medians. Without cuFFT `by_cufft` is empty.
void time_ways(GpuClock& clock, int rounds, const std::function<void()>& by_operator,
               const std::function<void()>& by_steps, const std::function<void()>& by_cufft,
               GpuConvolutionResult& result);

/// All in turns on the same memory.
GpuConvolutionResult measure_on_gpu(const ConvolutionRow& row, const ConvolutionOptions& options,
                                    bool with_cufft);

}  // namespace weft::tool
