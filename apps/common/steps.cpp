// SPDX-License-Identifier: BSD-3-Clause
#include "common/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace weft::apps {

void add_step_options(Options& options, StepOptions& steps) {
  options.add("--checkpoint", steps.checkpoint, "file for the state");
  options.add("--checkpoint-steps", steps.checkpoint_steps,
              "steps between checkpoints; 0: only when the run ends early");
  options.add("--stop-after", steps.stop_after,
              "end after so many steps with a checkpoint, for batch queues; 0: never");
  options.add("--resume", steps.resume, "go on from this checkpoint, with the same options");
}

StepsDone run_steps(const Team& team, const StepOptions& options, Index first, Index last,
                    const StepActions& actions) {
  if (options.stop_after > 0 && options.checkpoint.empty())
    refuse("--stop-after needs --checkpoint, or the work would be lost");
  const Voice voice(team);
  ProgressBar bar(team, static_cast<double>(last));
  const auto begin = std::chrono::steady_clock::now();
  const auto save = [&] {
    if (!options.checkpoint.empty()) actions.save(options.checkpoint);
  };
  for (Index step = first; step < last; ++step) {
    actions.step(step);
    const Index done = step + 1;
    if (team.is_first()) bar.show(static_cast<double>(done), actions.state());
    const bool is_early = options.stop_after > 0 && done - first >= options.stop_after;
    const bool interrupted = is_interrupted(team);
    if (interrupted || (is_early && done < last)) {
      bar.clear();
      save();
      voice.say(fmt::format(
          "{} after step {} of {}{}", interrupted ? "interrupted" : "stopped", done, last,
          options.checkpoint.empty() ? "; without --checkpoint nothing is saved"
                                     : "; go on with --resume " + options.checkpoint));
      return {interrupted ? Ended::interrupted : Ended::early, 0};
    }
    if (options.checkpoint_steps > 0 && (done % options.checkpoint_steps == 0 || done == last))
      save();
  }
  bar.clear();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return {Ended::at_the_end, last > first ? took.count() / static_cast<double>(last - first) : 0};
}

double time_steps(const Team& team, Index count, const std::function<void(Index)>& step) {
  constexpr Index warm_up = 2;
  std::vector<double> times;
  for (Index i = 0; i < warm_up + count; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    step(i);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const double slowest = team.maximum(took.count());
    if (i >= warm_up) times.push_back(slowest);
  }
  std::ranges::sort(times);
  const double median = times[times.size() / 2];
  Voice(team).say(fmt::format("{:.4g} s per step, median of {} ({:.4g} to {:.4g})", median,
                              times.size(), times.front(), times.back()));
  return median;
}

}  // namespace weft::apps
