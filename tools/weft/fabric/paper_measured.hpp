// SPDX-License-Identifier: BSD-3-Clause
// What `weft paper --measure` times in one process: everything in turns, medians.
#pragma once

#include "base/index.hpp"

namespace weft::tool {

/// Gflop/s of one transform in one process; 0 where something is missing.
struct NodeRates {
  Index points = 0;
  double gsl = 0, scalar = 0, simd = 0, threads = 0;
  int thread_count = 0;
};
NodeRates measure_node(Index points);

}  // namespace weft::tool
