// SPDX-License-Identifier: BSD-3-Clause
// Where a recipe keeps its data between stages: distributions, buffers and shared arrays, computed
// from the recipe alone, alike on all ranks.
#pragma once

#include "global/recipe/recipe.hpp"
#include "global/run/stage.hpp"

namespace weft::global {

/// Where the array waits between two stages that share memory: in the plan's own, or in the user's
/// input or output, of which each rank holds a part.
enum class Home { workspace, input, output };
/// One for every exchange of a recipe by shared memory, from problem.reach.
std::vector<Home> homes(const GlobalProblem& problem, const Recipe& recipe);

/// The user's arrays with the parts of all ranks, as this rank reaches them; empty where it does
/// not. Offsets count from this rank's own part.
struct ReachedArrays {
  reshape::SharedArray input, output;
  Index input_bytes = 0, output_bytes = 0;  ///< of this rank's parts
};

struct Placement {
  std::vector<reshape::ExchangeProblem> exchanges;  ///< one after every stage but the last
  std::vector<reshape::SharedArray> arrays;         ///< shared: where they lie
  std::vector<reshape::NodeMemory> node_memory;     ///< node_aware: offsets, one per exchange
  Index shared_bytes = 0;                           ///< of this rank's node
  /// shared: whether the ranks wait for each other before the first stage, because it writes to the
  /// output of ranks that may still read it; and after the last, because it reads their input.
  bool opens_with_meeting = false, closes_with_meeting = false;
};
/// The memory of a node is estimated from `looked_at` of its ranks where it has more.
Placement place(const GlobalProblem& problem, const Recipe& recipe, const std::vector<int>& nodes,
                int rank, int looked_at = reshape::all_of_the_node,
                const ReachedArrays& reached = {});

/// A stage's transforms, without boxes and pieces.
StageProblem stage_problem(const GlobalProblem& problem, const Recipe& recipe, std::size_t index);
/// How the stage's boxes are cut into chunks: not at all unless the exchange after it is
/// pipelined.
reshape::Chunking chunking_of(const GlobalProblem& problem, const Recipe& recipe,
                              std::size_t index);

/// Whether a transform without exchanges would overwrite input that it has yet to read.
bool needs_detour(const GlobalProblem& problem, const std::vector<reshape::Piece>& input,
                  const std::vector<reshape::Piece>& output, bool in_place);
/// The output's boxes, dense, in Memory::receive.
std::vector<reshape::Piece> temporary_pieces(const GlobalProblem& problem, int rank);

}  // namespace weft::global
