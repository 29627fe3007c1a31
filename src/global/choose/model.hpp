// SPDX-License-Identifier: BSD-3-Clause
// What a global recipe costs: the communication model of heFFTe (volume over bandwidth, messages by
// decomposition) extended by latency, by the copies within a node, and by the local transforms.
#pragma once

#include <functional>

#include "base/work_ref.hpp"
#include "global/recipe/recipe.hpp"

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

/// Collective. Times messages, copies and transforms of the ranks, in about 50 ms; equal on all
/// ranks.
NetworkModel measure_network(const Comm& comm);
/// Lines that measuring times for NetworkModel::flops_per_s, and that PointFlops are relative to.
inline constexpr Index measured_line = 256;
/// Collective. Seconds of the slowest rank, in the best of several rounds.
double best_of_rounds(const Comm& comm, int rounds, WorkRef work);
/// Pairs of ranks that do, or do not, share a node: each rank's partner, -1 without one.
std::vector<int> paired_ranks(const std::vector<int>& nodes, bool same_node);

/// "latency_s 2e-06 bandwidth 5e+09 ...", and back. Throws weft::Error where that is not what it
/// is.
std::string to_text(const NetworkModel& model);
NetworkModel parse_network(const std::string& text);
/// "2x4 ranks": two nodes with four ranks each. `nodes` as Comm::nodes().
std::string topology_text(const std::vector<int>& nodes);

struct StageCost {
  double compute_s = 0, exchange_s = 0;
  Index messages = 0, message_bytes = 0;  ///< of the busiest rank looked at
};

struct RecipeCost {
  std::vector<StageCost> stages;
  Index workspace_bytes = 0;  ///< of the rank that needs most
  double total_s() const;
};

/// What a point of a line of n points costs along one axis, in the operations that
/// NetworkModel::flops_per_s counts.
using PointFlops = std::function<double(Index n, Precision precision)>;
/// 5 log2 n, and five times as much for lengths with large prime factors: they are convolutions.
double nominal_point_flops(Index n, Precision precision);

/// `nodes` as Comm::nodes(): one entry per rank of the problem. Prices the exchanges of three
/// ranks. Where all boxes are those of grids, the time does not grow with the ranks but for a look
/// at `nodes` and at the peers of those three.
RecipeCost predict(const GlobalProblem& problem, const Recipe& recipe,
                   const std::vector<int>& nodes, bool in_place, const NetworkModel& model,
                   const PointFlops& flops_of = nominal_point_flops);

}  // namespace weft::global
