// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/network/machine_ranks.hpp"

#include "base/format.hpp"
#include "fabric/network/global_fft.hpp"
#include "weft/error.hpp"

namespace weft::fabric {

MachineRanks ranks_of(const ClusterMachine& machine, int nodes) {
  const double narrow = nodes > machine.radix ? machine.taper : 1.0;
  const double link = machine.node_bytes_per_s * machine.bandwidth_efficiency;
  return {.nodes = nodes,
          .ranks_per_node = machine.ranks_per_node,
          .link_bytes_per_s = link,
          .node_bytes_per_s = link * narrow,
          .message_s = machine.message_s,
          .memory_bytes_per_s = machine.shared_memory_bytes_per_s,
          .node_flops = machine.node_flops,
          .memory_bytes = machine.memory_bytes_per_node};
}

MachineRanks ranks_of(const TorusMachine& machine, int nodes) {
  // What a node gets in an all-to-all: the links of the longest side are shared.
  const GlobalFftTime unit = global_fft_time(machine, nodes, 1.0);
  const double share =
      unit.busiest_link_bytes > 0 ? unit.bytes_per_node / unit.busiest_link_bytes : 1.0;
  const double link = machine.payload_bytes_per_s * machine.link_efficiency;
  return {.nodes = unit.shape[0] * unit.shape[1] * unit.shape[2],
          .ranks_per_node = machine.cores_per_node,
          .link_bytes_per_s = link,
          .node_bytes_per_s = link * share,
          .message_s = machine.message_s,
          .memory_bytes_per_s = machine.memory_bytes_per_s,
          .node_flops = machine.node_flops,
          .memory_bytes = machine.memory_bytes_per_node};
}

MachineRanks ranks_of(const FabricMachine& machine, int nodes) {
  if (const auto* torus = std::get_if<TorusMachine>(&machine.what)) return ranks_of(*torus, nodes);
  return ranks_of(cluster_of(machine), nodes);
}

Topology topology_of(const FabricMachine& machine, int nodes) {
  if (const auto* torus = std::get_if<TorusMachine>(&machine.what)) {
    const auto shape = shape_for(*torus, nodes);
    const std::vector<int> sides(shape.begin(), shape.end());
    const Index count = Index{shape[0]} * shape[1] * shape[2];
    return count >= torus->torus_from_nodes ? Topology::torus(sides) : Topology::mesh(sides);
  }
  const ClusterMachine& cluster = cluster_of(machine);
  return Topology::fat_tree(nodes, cluster.radix, cluster.taper);
}

std::vector<int> nodes_of_ranks(const MachineRanks& machine, int ranks) {
  if (ranks < 1 || ranks > machine.ranks())
    throw Error(ErrorCode::invalid_argument,
                weft::format("{} ranks on {} nodes of {}: give 1 to {}, or more nodes", ranks,
                             machine.nodes, machine.ranks_per_node, machine.ranks()));
  std::vector<int> nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.push_back(rank / machine.ranks_per_node);
  return nodes;
}

global::NetworkModel model_of(const MachineRanks& machine) {
  const double ranks = machine.ranks_per_node;
  return {.latency_s = machine.message_s,
          .bandwidth = machine.node_bytes_per_s / ranks,
          .node_bandwidth = machine.memory_bytes_per_s / ranks,
          .memory_bandwidth = machine.memory_bytes_per_s / ranks,
          .flops_per_s = machine.node_flops / ranks};
}

}  // namespace weft::fabric
