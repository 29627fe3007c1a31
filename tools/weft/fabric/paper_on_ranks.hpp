// SPDX-License-Identifier: BSD-3-Clause
// What `weft paper --measure` times over ranks: those of mpiexec, or threads of this process. All
// functions are collective; everything runs in turns, and times are medians of the slowest rank.
#pragma once

#include <string>
#include <vector>

#include "weft/comm.hpp"

namespace weft::tool {

/// One long transform: weft's recipe, whose stages read and write where the exchanges have the
/// data, against Eq. (19) with every permutation as a pass of its own. Both exchange by
/// all-to-alls.
struct ReorderingTime {
  Index points = 0;
  int ranks = 0;
  double merged_s = 0, explicit_s = 0;
  double ratio = 0;       ///< explicit / merged, median of the turns
  double difference = 0;  ///< of the two results, relative
};
ReorderingTime measure_reordering(const Comm& comm, Index points, int rounds);

/// edge^3 by pencils.
struct RanksTime {
  int ranks = 0;
  double seconds = 0;
};
RanksTime measure_ranks(const Comm& comm, Index edge);

/// What the mesh of one particle-mesh step takes: charges forward, potential and field back (1 + 4
/// real transforms), as separate transforms and as one operator, as weft-pppm does it.
struct MeshStepTime {
  int ranks = 0;
  double separate_s = 0, operator_s = 0;
  double difference = 0;  ///< of the two results, relative
};
MeshStepTime measure_mesh_step(const Comm& comm, Index edge, int rounds);

/// What the reports show.
struct MeasuredOnRanks {
  std::string transport = "threads";  ///< or "Open MPI v4.1.4"
  std::vector<ReorderingTime> reorderings;
  std::vector<RanksTime> transforms;
  std::vector<MeshStepTime> mesh_steps;
};
/// Of one paper, "spiral" or "heffte"; nothing of the others. Without MPI several numbers of ranks,
/// which are threads. `lengths` replaces those of the reorderings. Throws weft::Error on all ranks.
MeasuredOnRanks measure_on_ranks(const std::string& paper, const Comm* mpi,
                                 const std::vector<Index>& lengths = {});

}  // namespace weft::tool
