// SPDX-License-Identifier: BSD-3-Clause
// weft explain --ranks: a distributed transform, step by step, before it runs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "weft/distributed.hpp"

namespace weft::tool {

struct RanksQuestion {
  Transform transform;
  std::string ranks;                        ///< "8", "2x4"
  int ranks_per_node = 0;                   ///< 0: all on one node
  std::string recipe;                       ///< as weft prints it; empty: choose one
  Strategy strategy = Strategy::automatic;  ///< of those to choose from
  bool latex = false;                       ///< the formula as LaTeX
  bool run = false;                         ///< on threads as ranks, to compare with the prediction
};

/// Prints unless `as_json`; returns the same as a document.
nlohmann::json explain_ranks(const RanksQuestion& question, bool as_json);

}  // namespace weft::tool
