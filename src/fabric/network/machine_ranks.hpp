// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a torus or cluster: how many share a node, how fast they compute and send, and the
// links that join the nodes. What the cost model (src/global) and the simulation of recipes take
// from a machine's file.
#pragma once

#include <vector>

#include "fabric/fabric_machine.hpp"
#include "fabric/topology.hpp"
#include "global/choose/model.hpp"

namespace weft::fabric {

struct MachineRanks {
  int nodes = 1, ranks_per_node = 1;
  double link_bytes_per_s = 0;    ///< of one link, or of the link of one node
  double node_bytes_per_s = 0;    ///< between nodes, what an all-to-all gets of it
  double message_s = 0;           ///< start-up of a message between nodes
  double memory_bytes_per_s = 0;  ///< of a node
  double node_flops = 0;
  double memory_bytes = 0;  ///< of a node

  Index ranks() const { return Index{nodes} * ranks_per_node; }
};
MachineRanks ranks_of(const ClusterMachine& machine, int nodes);
/// All nodes of the smallest known shape that has as many.
MachineRanks ranks_of(const TorusMachine& machine, int nodes);
/// weft::Error for machines that have no ranks: wafers and systolic arrays.
MachineRanks ranks_of(const FabricMachine& machine, int nodes);

/// Nodes and links of that many nodes; a link of one word per cycle is link_bytes_per_s fast.
Topology topology_of(const FabricMachine& machine, int nodes);

/// The node of every rank, filled one after another.
std::vector<int> nodes_of_ranks(const MachineRanks& machine, int ranks);

/// What the cost model knows about the ranks of a machine.
global::NetworkModel model_of(const MachineRanks& machine);

}  // namespace weft::fabric
