// SPDX-License-Identifier: BSD-3-Clause
// A global recipe carried out on the nodes of a torus or fat tree: every rank's stages with real
// numbers, every message that MPI would send from link to link, counted there. A link carries one
// message at a time, first come, first served; a message goes on as soon as its head has arrived.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fabric/network/machine_ranks.hpp"
#include "fabric/topology.hpp"
#include "global/recipe/recipe.hpp"
#include "reshape/exchange.hpp"

namespace weft::fabric {

/// What one rank sends to another; with the node-aware exchange, one node to another.
struct RankMessage {
  int from = 0, to = 0;
  Index bytes = 0;
  int chunk = 0;
  /// Whose blocks it holds, sender and receiver of each: its own, or all of a pair of nodes.
  std::vector<std::pair<int, int>> blocks;
};
/// All messages of one exchange, by sender; none where the ranks share an array.
std::vector<RankMessage> messages_of(const reshape::ExchangeProblem& exchange,
                                     reshape::ExchangeKind kind, const std::vector<int>& nodes);

struct StageRun {
  std::string what;
  double seconds = 0;  ///< by the machine's rates of computing and of memory
};
struct ExchangeRun {
  std::string what;
  Index messages = 0, bytes = 0;            ///< between ranks
  Index node_messages = 0, node_bytes = 0;  ///< those of them that leave their node
  std::vector<Index> link_bytes;            ///< of every link
  LinkId busiest = -1;                      ///< the link that is busy longest; -1: nothing moved
  double bound_s = 0;                       ///< of that link alone
  double seconds = 0;                       ///< start-ups, copies within nodes, and waiting
  double predicted_s = 0;                   ///< by the cost model that chooses recipes
};
struct RecipeRun {
  std::vector<StageRun> stages;
  std::vector<ExchangeRun> exchanges;  ///< one after every stage but the last
  double compute_s() const;
  double exchange_s() const;
  std::vector<Index> link_bytes() const;  ///< of all exchanges
};

/// The machine's nodes, its links, and which rank is on which node.
struct RankNetwork {
  MachineRanks machine;
  Topology topology;
  std::vector<int> nodes;
};

/// Memory of every rank: its boxes one after another, each row-major.
using RankMemory = std::vector<std::vector<std::byte>>;

/// Fills `out`. Throws weft::Error for recipes of chirps and for shared arrays beyond one node.
RecipeRun run_recipe(const global::GlobalProblem& problem, const global::Recipe& recipe,
                     const RankNetwork& network, const RankMemory& in, RankMemory& out);
/// The same without numbers: messages, links and times alone.
RecipeRun count_recipe(const global::GlobalProblem& problem, const global::Recipe& recipe,
                       const RankNetwork& network);

}  // namespace weft::fabric
