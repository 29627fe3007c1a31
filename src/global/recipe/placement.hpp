// SPDX-License-Identifier: BSD-3-Clause
// Where a recipe keeps its data between stages: distributions, buffers and shared arrays, computed
// from the recipe alone, alike on all ranks.
#pragma once

#include "global/recipe/recipe.hpp"
#include "global/run/stage.hpp"

namespace weft::global {

struct Placement {
  std::vector<reshape::ExchangeProblem> exchanges;  ///< one after every stage but the last
  std::vector<reshape::SharedArray> arrays;         ///< shared: where they lie
  std::vector<reshape::NodeMemory> node_memory;     ///< node_aware: offsets, one per exchange
  Index shared_bytes = 0;                           ///< of this rank's node
};
/// The memory of a node is estimated from `looked_at` of its ranks where it has more.
Placement place(const GlobalProblem& problem, const Recipe& recipe, const std::vector<int>& nodes,
                int rank, int looked_at = reshape::all_of_the_node);

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
