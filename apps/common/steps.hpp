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
struct StepsDone {
  Ended ended = Ended::at_the_end;
  double step_s = 0;  ///< of a step with all that belongs to it; 0: none was done to the end
};

/// Collective: steps `first` to `last` - 1. When it ends early, it has saved a checkpoint.
StepsDone run_steps(const Team& team, const StepOptions& options, Index first, Index last,
                    const StepActions& actions);

/// Collective, for --bench-steps: runs so many steps after two that are not timed, says how long
/// they took, and returns the median. `step` waits until all is done.
double time_steps(const Team& team, Index count, const std::function<void(Index)>& step);

}  // namespace weft::apps
