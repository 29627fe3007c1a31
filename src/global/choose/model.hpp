// SPDX-License-Identifier: BSD-3-Clause
// What a global recipe costs: the communication model of heFFTe (volume over bandwidth, messages by
// decomposition) extended by latency, by the copies within a node, and by the local transforms.
#pragma once

#include <functional>
#include <vector>

#include "global/choose/network.hpp"
#include "global/recipe/recipe.hpp"

namespace weft::global {

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
/// ranks. If all boxes come from grids, the work does not grow with the number of ranks, except for
/// a pass over `nodes` and over the peers of those three.
RecipeCost predict(const GlobalProblem& problem, const Recipe& recipe,
                   const std::vector<int>& nodes, bool in_place, const NetworkModel& model,
                   const PointFlops& flops_of = nominal_point_flops);

}  // namespace weft::global
