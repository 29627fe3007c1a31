// SPDX-License-Identifier: BSD-3-Clause
// weft simulate on a torus or cluster: the recipe that weft would carry out over MPI there, with
// real numbers, message by message over the links.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fabric/fabric_machine.hpp"

namespace weft::tool {

struct NetworkRequest {
  std::string size, precision;
  bool inverse = false;
  bool real = false;       ///< r2c; with `inverse` c2r
  int nodes = 0;           ///< 0: as many as the ranks need; without ranks 8, or the smallest torus
  int ranks = 0;           ///< 0: all that the nodes have
  int ranks_per_node = 0;  ///< 0: the machine's
  std::string recipe;      ///< empty: the one that the cost model prefers
  std::string exchange;    ///< empty: any
  std::string svg;         ///< a chart of the links' loads goes there
};

/// Prints unless `json_only`; returns the same as a document. Throws Failed where the numbers are
/// wrong.
nlohmann::json simulate_network(const fabric::FabricMachine& machine, const NetworkRequest& request,
                                bool json_only);

}  // namespace weft::tool
