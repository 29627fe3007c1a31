// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/network/cluster_fft.hpp"

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "weft/error.hpp"

namespace weft::fabric {

double roofline_flops(const ClusterMachine& machine, int nodes, double points, double bytes,
                      int reshapes) {
  return 5 * nodes * std::log2(points) * machine.node_bytes_per_s / (bytes * reshapes);
}

ClusterTime cluster_fft_time(const ClusterMachine& machine, int nodes, double points, double bytes,
                             ClusterScheme scheme) {
  if (nodes < 1 || nodes > machine.max_nodes)
    throw Error(ErrorCode::invalid_argument,
                weft::format("{} nodes: the machine has 1 to {}", nodes, machine.max_nodes));
  constexpr int reshapes = 4;
  const double flops = 5 * points * std::log2(std::max(points, 2.0));
  ClusterTime time;
  time.bytes_per_node = points * bytes / nodes;
  // Beyond one switch the tree narrows to its taper.
  const double narrow = nodes > machine.radix ? machine.taper : 1.0;
  time.compute_s = flops / nodes / machine.node_flops;
  const double copies = reshapes * 2 * time.bytes_per_node / machine.shared_memory_bytes_per_s;
  if (nodes == 1) {  // nothing leaves the node, whatever the scheme
    time.shared_s = copies;
    return time;
  }
  time.bound_s = reshapes * time.bytes_per_node / (machine.node_bytes_per_s * narrow);
  time.bandwidth_s = time.bound_s / machine.bandwidth_efficiency;
  const double speakers = scheme == ClusterScheme::heffte
                              ? static_cast<double>(nodes) * machine.ranks_per_node
                              : static_cast<double>(nodes);
  // Two reshapes between pencils within rows or columns, two between bricks and pencils.
  time.messages = 2 * (std::sqrt(speakers) - 1) + 2 * (std::cbrt(speakers) - 1);
  time.messages_s = time.messages * machine.message_s;
  if (scheme == ClusterScheme::node_aware)
    time.shared_s = copies;  // packed and unpacked through shared windows
  return time;
}

}  // namespace weft::fabric
