// SPDX-License-Identifier: BSD-3-Clause
// Distributed transforms that weft test-gpu checks on GPUs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "weft/distributed.hpp"

namespace weft::tool {

/// Boxes of one rank.
using Cut = std::function<LocalBoxes(const std::vector<Index>& shape, int ranks, int rank)>;

struct RankCase {
  Transform transform;
  std::string name;
  Cut input, output;
  DistributedOptions options = {};
  bool by_steps = false;  ///< start() and test()
};

std::vector<RankCase> rank_cases();
std::string describe(const RankCase& c);

}  // namespace weft::tool
