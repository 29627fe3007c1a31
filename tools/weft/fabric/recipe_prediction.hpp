// SPDX-License-Identifier: BSD-3-Clause
// The recipes that weft carries out over MPI, priced for the ranks of another machine: the same
// recipes, the same cost model (src/global), that machine's network.
#pragma once

#include "prediction.hpp"

namespace weft::tool {

/// Ranks of a machine, and what the cost model knows about them.
struct MachineRanks {
  int nodes = 1, ranks_per_node = 1;
  double node_bytes_per_s = 0;    ///< between nodes, what an exchange gets of it
  double message_s = 0;           ///< start-up of a message between nodes
  double memory_bytes_per_s = 0;  ///< of a node
  double node_flops = 0;
  double memory_bytes = 0;  ///< of a node
};
MachineRanks ranks_of(const fabric::ClusterMachine& machine, int nodes);
MachineRanks ranks_of(const fabric::TorusMachine& machine, int nodes);

/// The best recipe in which every rank speaks to every rank it has data for (heFFTe's scheme:
/// bricks, pencils, bricks), and the best in which nodes speak to nodes; bricks in, bricks out.
/// Nothing for more ranks than can be laid out in seconds.
std::vector<Prediction> price_recipes(const MachineRanks& machine, const std::vector<Index>& shape,
                                      Precision precision);

}  // namespace weft::tool
