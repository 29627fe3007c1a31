// SPDX-License-Identifier: BSD-3-Clause
// Where a recipe keeps its data between stages: layouts, buffers and shared arrays, computed from
// the recipe alone, alike on all ranks.
#pragma once

#include "global/recipe.hpp"
#include "global/stage.hpp"

namespace weft::global {

struct Placement {
  std::vector<reshape::ExchangeProblem> exchanges;  ///< one behind every stage but the last
  std::vector<reshape::SharedArray> arrays;         ///< shared: where they lie
  std::vector<reshape::NodeMemory> node_memory;     ///< node_aware: offsets, one per exchange
  Index shared_bytes = 0;                           ///< of this rank's node
};
Placement place(const GlobalProblem& problem, const Recipe& recipe, const std::vector<int>& nodes,
                int rank);

/// A stage's transforms, without boxes and pieces.
StageProblem stage_problem(const GlobalProblem& problem, const Recipe& recipe, std::size_t index);
/// How the stage's boxes are cut into chunks: not at all unless the exchange behind it is
/// pipelined.
reshape::Chunking chunking_of(const GlobalProblem& problem, const Recipe& recipe,
                              std::size_t index);

/// Whether a transform without exchanges would overwrite input that it has yet to read.
bool needs_detour(const GlobalProblem& problem, const std::vector<reshape::Piece>& input,
                  const std::vector<reshape::Piece>& output, bool in_place);
/// The output's boxes, dense, in Memory::receive.
std::vector<reshape::Piece> temporary_pieces(const GlobalProblem& problem, int rank);

}  // namespace weft::global
