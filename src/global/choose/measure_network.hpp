// SPDX-License-Identifier: BSD-3-Clause
// Measures the speeds that the model uses on the ranks of a communicator.
#pragma once

#include <vector>

#include "base/work_ref.hpp"
#include "global/choose/network.hpp"
#include "weft/comm.hpp"

namespace weft::global {

/// Collective. Times messages, copies and transforms of the ranks, in about 50 ms; equal on all
/// ranks.
NetworkModel measure_network(const Comm& comm);
/// Lines that measuring times for NetworkModel::flops_per_s, and that PointFlops are relative to.
inline constexpr Index measured_line = 256;
/// Collective. Seconds of the slowest rank, in the best of several rounds.
double best_of_rounds(const Comm& comm, int rounds, WorkRef work);
/// Pairs of ranks that do, or do not, share a node: each rank's partner, -1 without one.
std::vector<int> paired_ranks(const std::vector<int>& nodes, bool same_node);

}  // namespace weft::global
