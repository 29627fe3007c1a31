// SPDX-License-Identifier: BSD-3-Clause
// A loop over steps that shows progress, saves checkpoints and ends cleanly on Ctrl-C.
#pragma once

#include <functional>
#include <string>

#include "common/program.hpp"

namespace weft::apps {

struct StepOptions {
  std::string checkpoint, resume;  ///< files; empty: none
  Index checkpoint_steps = 0;      ///< between checkpoints; 0: only when it ends early
  Index stop_after = 0;            ///< steps, then save and end; 0: go on to the end
};
void add_step_options(Options& options, StepOptions& steps);

/// What a loop calls, on all ranks.
struct StepActions {
  std::function<void(Index step)> step;  ///< the number of steps done before it
  std::function<std::string()> state;    ///< shown beside the bar, on the first rank
  std::function<void(const std::string& path)> save;
};

enum class Ended { at_the_end, early, interrupted };

/// Collective: steps `first` to `last` - 1. Says how long a step took. When it ends early, it has
/// saved a checkpoint.
Ended run_steps(const Team& team, const StepOptions& options, Index first, Index last,
                const StepActions& actions);

}  // namespace weft::apps
