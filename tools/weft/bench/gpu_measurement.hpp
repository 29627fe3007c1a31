// SPDX-License-Identifier: BSD-3-Clause
// The measurement of one row of the GPU benchmark.
#pragma once

#include <optional>
#include <string>

#include "bench/gpu_arrays.hpp"
#include "bench/gpu_row.hpp"
#include "weft/cuda.hpp"

namespace weft::tool {

struct GpuOptions {
  cuda::PlanOptions plan;
  std::optional<cuda::PlanOptions> other_plan = {};  ///< timed in turns with `plan`
  int rounds = 21;
  bool use_cufft = true;
  bool in_place = true;  ///< c2c; real transforms are out of place
};

struct GpuResult {
  GpuRow row;
  double weft_ms = 0, copy_ms = 0;
  std::optional<double> cufft_ms, other_ms;
  /// Relative L2 error: for f16 and f32 all outputs against f64, for f64 some outputs against long
  /// double.
  double weft_error = 0;
  std::optional<double> cufft_error;
  double difference = 0;  ///< relative L2 difference of all outputs from cuFFT's in f64
  double direct_error =
      0;  ///< error of one output against the sum that defines it, divided by the rms output
  double bytes = 0;  ///< one read and one write of the array
  int passes = 0;
  std::string recipe, explanation;
  double other_error = 0;    ///< of the other plan: relative L2 difference from cuFFT's in f64
  std::string other_recipe;  ///< empty without another plan
};

/// Throws weft::Error if a transform cannot be planned or there is not enough memory.
GpuResult measure(const GpuRow& row, const GpuOptions& options, const GpuArrays& arrays);

}  // namespace weft::tool
