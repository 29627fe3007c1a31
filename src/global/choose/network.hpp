// SPDX-License-Identifier: BSD-3-Clause
// The speeds that the model needs, as numbers and as the text that wisdom keeps.
#pragma once

#include <string>
#include <vector>

namespace weft::global {

/// Speeds per rank. The defaults are those of a common cluster; measure_network() finds the real
/// ones.
struct NetworkModel {
  double latency_s = 2e-6;        ///< of a message between nodes
  double bandwidth = 5e9;         ///< bytes per second and rank between nodes
  double node_latency_s = 1e-6;   ///< of a message within a node
  double node_bandwidth = 4e9;    ///< of messages within a node
  double memory_bandwidth = 8e9;  ///< bytes read plus written, by one of all ranks of the node
  double flops_per_s = 8e9;       ///< of local transforms, per rank
};

/// "latency_s 2e-06 bandwidth 5e+09 ...", and back. parse_network() throws weft::Error (wisdom) if
/// the text is not what to_text() writes.
std::string to_text(const NetworkModel& model);
NetworkModel parse_network(const std::string& text);
/// "2x4 ranks": two nodes with four ranks each. `nodes` as Comm::nodes().
std::string topology_text(const std::vector<int>& nodes);

}  // namespace weft::global
