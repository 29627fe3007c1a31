// SPDX-License-Identifier: BSD-3-Clause
// The rows of the GPU benchmark, and the measurement of one row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/gpu_arrays.hpp"
#include "problem/array_problem.hpp"
#include "weft/cuda.hpp"

namespace weft::tool {

struct GpuRow {
  std::vector<Index> shape;  ///< of one transform
  Index batch = 1;
  Kind kind = Kind::c2c;
  Precision precision = Precision::f32;
};

/// "512x512x512 c2c f32", "4096*32768 c2c f32".
std::string label(const GpuRow& row);
std::vector<GpuRow> gpu_rows();
problem::ArrayProblem problem_of(const GpuRow& row);

struct GpuOptions {
  cuda::PlanOptions plan;
  int rounds = 21;
  bool use_cufft = true;
  bool in_place = true;  ///< c2c; real transforms are out of place
};

struct GpuResult {
  GpuRow row;
  double weft_ms = 0, copy_ms = 0;
  std::optional<double> cufft_ms;
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
};

/// Throws weft::Error if a transform cannot be planned or there is not enough memory.
GpuResult measure(const GpuRow& row, const GpuOptions& options, const GpuArrays& arrays);

}  // namespace weft::tool
