// SPDX-License-Identifier: BSD-3-Clause
// Chooses the recipe of a global problem: by the model, or by timing the best on the real ranks.
#pragma once

#include <optional>

#include "global/model.hpp"
#include "global/plan.hpp"

namespace weft::global {

struct Wishes {
  Effort effort = Effort::estimate;
  std::optional<ExchangeKind> exchange;
  std::string strategy;  ///< empty: any
  int chunks = 4;
  double time_limit_s = 10;
  Index max_workspace_bytes = 0;  ///< 0: no limit
  BuildOptions build;
};

/// Candidates that fit the problem and the wishes, best first by the model. Throws weft::Error when
/// none is left. The same on all ranks when `model` is.
std::vector<Recipe> candidates(const GlobalProblem& problem, const Wishes& wishes,
                               const std::vector<int>& nodes, const NetworkModel& model);

/// Collective.
Recipe choose_recipe(const GlobalProblem& problem, const Wishes& wishes,
                     const std::vector<reshape::Piece>& input,
                     const std::vector<reshape::Piece>& output, const Comm& comm,
                     const NetworkModel& model);

}  // namespace weft::global
