// SPDX-License-Identifier: BSD-3-Clause
// Times the passes of the recipes that the planner would consider, of many rows in turns: what the
// cost model is fitted to.
#pragma once

#include <string>
#include <vector>

#include "bench/gpu_row.hpp"

namespace weft::tool {

struct GpuPassOptions {
  int device = 0;
  double time_limit_s = 10;  ///< for all rows together
  int per_turn = 32;         ///< passes that are timed of a row before the next one's turn
  int finalists = 8;         ///< recipes of a row that are timed as a whole in the end
};

/// Writes a line of JSON to the file for every pass and for every recipe that was timed as a whole,
/// at once. Three quarters of the passes belong to the recipes that are expected to be fastest, as
/// for effort measure, the others to recipes taken at random.
void time_gpu_passes(const std::vector<GpuRow>& rows, const GpuPassOptions& options,
                     const std::string& path);

}  // namespace weft::tool
