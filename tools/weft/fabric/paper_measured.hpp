// SPDX-License-Identifier: BSD-3-Clause
// What `weft paper --measure` times on this machine: everything in turns, medians.
#pragma once

#include <string>
#include <vector>

#include "base/index.hpp"

namespace weft::tool {

/// One long transform over ranks that are threads: weft's recipe, whose stages read and write where
/// the exchanges have the data, against Eq. (19) with every permutation as a pass of its own.
struct ReorderingTime {
  Index points = 0;
  int ranks = 0;
  double merged_s = 0, explicit_s = 0;
  double difference = 0;  ///< of the two results, relative
};
ReorderingTime measure_reordering(Index points, int ranks, int rounds);

/// Gflop/s of one transform in one process; 0 where something is missing.
struct NodeRates {
  Index points = 0;
  double gsl = 0, scalar = 0, simd = 0, threads = 0;
  int thread_count = 0;
};
NodeRates measure_node(Index points);

/// 3-D transforms over ranks that are threads of this machine.
struct RanksTime {
  int ranks = 0;
  double seconds = 0;
};
RanksTime measure_ranks(Index edge, int ranks);

/// What the mesh of one particle-mesh step takes over ranks that are threads: charges forward,
/// potential and field back (1 + 4 real transforms), as separate transforms and as one operator, as
/// weft-pppm does it.
struct MeshStepTime {
  int ranks = 0;
  double separate_s = 0, operator_s = 0;
  double difference = 0;  ///< of the two results, relative
};
MeshStepTime measure_mesh_step(Index edge, int ranks, int rounds);

}  // namespace weft::tool
