// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/fftw/planner.hpp"

#include <algorithm>
#include <mutex>

#include "dropins/fftw/call_executor.hpp"
#include "dropins/fftw/report.hpp"
#include "dropins/fftw/wisdom.hpp"

namespace weft::fftw {
namespace {

struct State {
  int threads = 1;
  double time_limit_s = FFTW_NO_TIMELIMIT;
  ParallelLoop loop = nullptr;
  void* loop_data = nullptr;
};
struct GuardedState {
  std::mutex mutex;
  State state;
};
/// Never destroyed: a program may plan until its very end.
GuardedState& guarded_state() {
  static auto* const state = new GuardedState;
  return *state;
}
State state_now() {
  GuardedState& guarded = guarded_state();
  const std::lock_guard lock(guarded.mutex);
  return guarded.state;
}
template <class Change>
void change_state(Change change) noexcept {
  GuardedState& guarded = guarded_state();
  const std::lock_guard lock(guarded.mutex);
  change(guarded.state);
}

/// FFTW has no limit by default; its own planning of one problem rarely takes longer than this.
double time_limit_of(Rigor rigor, double asked_s) {
  constexpr double most_s[] = {0, 2, 10, 60};
  const double most = most_s[static_cast<int>(rigor)];
  return asked_s < 0 ? most : std::min(most, asked_s);
}

Effort effort_of(Rigor rigor) {
  if (rigor == Rigor::estimate) return Effort::estimate;
  return rigor == Rigor::measure ? Effort::measure : Effort::patient;
}

PlanOptions options_for(const Problem& problem, const State& state, Rigor rigor) {
  PlanOptions options;
  options.in_place = shares_memory(problem);
  options.time_limit_s = time_limit_of(rigor, state.time_limit_s);
  options.effort = options.time_limit_s > 0 ? effort_of(rigor) : Effort::estimate;
  options.use_wisdom = wisdom::uses_weft();
  options.threads = state.threads;
  if (state.loop != nullptr && state.threads > 1)
    options.executor = call_executor(state.loop, state.loop_data, state.threads);
  return options;
}

LocalPlan* build(const Problem& problem, const PlanOptions& options) {
  const Request request = request_of(problem);
  return new LocalPlan(problem, Plan(request.transform, request.input, request.output, options),
                       options);
}

LocalPlan* by_wisdom(const Problem& problem, PlanOptions options, const std::string& recipe) {
  options.recipe = recipe;
  try {
    return build(problem, options);
  } catch (const Error&) {  // of another CPU or another version: as if there were none
    return nullptr;
  }
}

LocalPlan* choose(const Problem& problem, unsigned flags) {
  const State state = state_now();
  const Rigor rigor = rigor_of(flags);
  const PlanOptions options = options_for(problem, state, rigor);
  const std::string key = text_of(problem) + " on " + std::to_string(state.threads);
  if (const auto known = wisdom::find(key, rigor))
    if (LocalPlan* const plan = by_wisdom(problem, options, *known)) return plan;
  if ((flags & FFTW_WISDOM_ONLY) != 0) return nullptr;
  LocalPlan* const plan = build(problem, options);
  wisdom::add(key, {rigor, plan->recipe()});
  return plan;
}

/// Split arrays whose parts alternate are ordinary ones. FFTW's rule for new arrays, that the two
/// parts stay as far apart as they were, makes this valid for all executions.
Problem joined(Problem problem) {
  const auto all_even = [&](auto stride) {
    const auto is_even = [&](const Dimension& d) { return d.*stride % 2 == 0; };
    return std::ranges::all_of(problem.axes, is_even) &&
           std::ranges::all_of(problem.batch, is_even);
  };
  const auto halve = [&](auto stride) {
    for (Dimension& d : problem.axes) d.*stride /= 2;
    for (Dimension& d : problem.batch) d.*stride /= 2;
  };
  const Arrays& a = problem.arrays;
  const bool in = problem.in_split() && a.in_imag == a.in + 1 && all_even(&Dimension::in);
  const bool out = problem.out_split() && a.out_imag == a.out + 1 && all_even(&Dimension::out);
  if (problem.in_split() && !in) return problem;
  if (problem.out_split() && !out) return problem;
  if (in) {
    halve(&Dimension::in);
    problem.arrays.in_imag = nullptr;
  }
  if (out) {
    halve(&Dimension::out);
    problem.arrays.out_imag = nullptr;
  }
  return problem;
}

}  // namespace

Rigor rigor_of(unsigned flags) {
  if ((flags & FFTW_ESTIMATE) != 0) return Rigor::estimate;
  if ((flags & FFTW_EXHAUSTIVE) != 0) return Rigor::exhaustive;
  return (flags & FFTW_PATIENT) != 0 ? Rigor::patient : Rigor::measure;
}

PlanHandle make_plan(const Problem& problem, unsigned flags) noexcept {
  try {
    LocalPlan* plan = nullptr;
    try {
      if (is_sensible(problem)) plan = choose(joined(problem), flags);
    } catch (...) {  // there is no such plan
    }
    if (!report::is_wanted()) return plan;
    if (plan != nullptr) return report::counted(plan, text_of(problem), plan->recipe());
    if ((flags & FFTW_WISDOM_ONLY) == 0) report::refused(text_of(problem));
    return nullptr;
  } catch (...) {
    return nullptr;
  }
}

void set_threads(int count) noexcept {
  change_state([&](State& state) { state.threads = std::max(1, count); });
}
int threads() noexcept { return state_now().threads; }
void set_parallel_loop(ParallelLoop loop, void* data) noexcept {
  change_state([&](State& state) {
    state.loop = loop;
    state.loop_data = data;
  });
}
void set_time_limit(double seconds) noexcept {
  change_state([&](State& state) { state.time_limit_s = seconds; });
}
void forget_everything() noexcept {
  change_state([](State& state) { state = {}; });
  wisdom::forget();
}

}  // namespace weft::fftw
