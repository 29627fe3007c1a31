// SPDX-License-Identifier: BSD-3-Clause
// Chooses the recipe of a global problem: by the model, or by timing the best on the real ranks.
#pragma once

#include <chrono>
#include <optional>

#include "global/choose/model.hpp"
#include "global/run/plan.hpp"
#include "tune/choose.hpp"

namespace weft::global {

struct Wishes {
  /// How to choose; its time limit lasts from `began` to the end of the final build.
  tune::Wishes choice;
  std::optional<ExchangeKind> exchange;
  bool may_share_memory = true;  ///< else exchanges by messages alone, unless one is asked for
  Strategy strategy = Strategy::automatic;
  int chunks = 4;
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  Index max_workspace_bytes = 0;  ///< 0: no limit
  BuildOptions build;
  PointFlops flops_of = nominal_point_flops;  ///< what local transforms cost
};
/// The device's own prices. Remembers its answers, since recipes have few different lengths.
PointFlops prices_of(std::shared_ptr<const RankDevice> device);

/// Why the recipe cannot be used for the problem, as the end of the sentence "the recipe ...";
/// empty: it can.
std::string objection(const Recipe& recipe, const GlobalProblem& problem,
                      const std::vector<int>& nodes, const BuildOptions& options);

/// A recipe from its text. Throws weft::Error: wisdom if the text is not a recipe, invalid_argument
/// if objection() says why it cannot be used.
Recipe fitting_recipe(const std::string& text, const GlobalProblem& problem,
                      const std::vector<int>& nodes, const BuildOptions& options = {});

/// Candidates that fit the problem and the wishes, best first by the model. Throws weft::Error when
/// none is left. The same on all ranks when `model` and the wishes are.
std::vector<Recipe> candidates(const GlobalProblem& problem, const Wishes& wishes,
                               const std::vector<int>& nodes, const NetworkModel& model);

/// A problem, and this rank's pieces of the user's memory.
struct Asked {
  const GlobalProblem& problem;
  const std::vector<reshape::Piece>&input, &output;
  const std::string& key;  ///< of wisdom
};

/// Collective; throws on all ranks or on none, SharedMemoryTooSmall where a recipe that is timed
/// needs more. The caller's own recipe is taken or refused. Times nothing that would likely end
/// after the time limit; needs a LocalTuner for that.
Recipe choose_recipe(const Asked& asked, const Wishes& wishes, const Comm& comm,
                     const NetworkModel& model);

}  // namespace weft::global
