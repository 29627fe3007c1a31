// SPDX-License-Identifier: BSD-3-Clause
// What `weft bench gpu` prints beside its usual lines: the plan that the cost model chooses next to
// the one that timing chooses, and what cuFFT does faster.
#pragma once

#include <string>
#include <vector>

#include "bench/gpu_measurement.hpp"

namespace weft::tool {

/// `effort` is what the estimate is compared with.
void print_gpu_effort_heading(const std::string& effort);
void print_gpu_effort_line(const GpuResult& result);
/// Geometric means and the rows where the estimate takes much longer, with both recipes.
void print_gpu_effort_summary(const std::vector<GpuResult>& results, const std::string& effort);

/// The rows that weft's first plan takes 3 % longer for than cuFFT, or more, as lines of
/// dropins/cufft/faster_in_cufft.txt.
void print_faster_in_cufft(const std::vector<GpuResult>& results);

}  // namespace weft::tool
