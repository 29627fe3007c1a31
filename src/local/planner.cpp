// SPDX-License-Identifier: BSD-3-Clause
#include "local/planner.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <string>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/machine.hpp"
#include "local/candidates.hpp"
#include "local/cost_model.hpp"
#include "weft/error.hpp"

namespace weft::local {
namespace {

using Clock = std::chrono::steady_clock;

Precision arithmetic(Precision stored) {
  return stored == Precision::f64 ? Precision::f64 : Precision::f32;
}

/// Offsets that a side of the problem touches, in reals: [low, high).
struct Span {
  Index low = 0, high = 0;
};
Span span_of(const AxisProblem& p, bool output) {
  Span span{0, 2};
  const auto widen = [&](Index count, Index stride) {
    (stride < 0 ? span.low : span.high) += (count - 1) * stride;
  };
  widen(p.n, output ? p.out_row : p.in_row);
  for (const Loop& loop : p.loops) widen(loop.count, output ? loop.out : loop.in);
  return span;
}

/// The problem with fewer repetitions of its outer loops: enough to time, no more.
AxisProblem shortened(AxisProblem p, double real_bytes) {
  // A problem beyond the caches must be timed beyond them.
  const double cache = static_cast<double>(this_machine().cache_bytes(3));
  const double enough_bytes = std::clamp(4 * cache, 48.0e6, 512.0e6);
  double bytes = real_bytes * 2 * static_cast<double>(p.n);
  for (const Loop& loop : p.loops) bytes *= static_cast<double>(loop.count);
  for (Loop& loop : p.loops) {
    if (bytes <= enough_bytes) break;
    const double rest = bytes / static_cast<double>(loop.count);
    const Index count = std::clamp<Index>(static_cast<Index>(enough_bytes / rest), 1, loop.count);
    bytes = rest * static_cast<double>(count);
    loop.count = count;
  }
  return p;
}

/// Times one axis recipe after another on memory of the problem's own strides.
template <class Real>
class AxisTimer {
 public:
  AxisTimer(const AxisProblem& problem, bool in_place, const Executor& executor)
      : problem_(shortened(problem, problem.half ? 2 : sizeof(Real))), executor_(executor) {
    const Span in = span_of(problem_, false), out = span_of(problem_, true);
    const Index bytes = problem.half ? 2 : Index{sizeof(Real)};
    in_ = Buffer<char>((in.high - in.low) * bytes);
    std::memset(in_.data(), 0, static_cast<std::size_t>(in_.size()));
    first_in_ = in_.data() - in.low * bytes;
    first_out_ = first_in_;
    if (in_place) return;
    out_ = Buffer<char>((out.high - out.low) * bytes);
    std::memset(out_.data(), 0, static_cast<std::size_t>(out_.size()));
    first_out_ = out_.data() - out.low * bytes;
  }

  /// Best of several runs, in seconds.
  double time(const AxisRecipe& recipe, double give_up_s) const {
    const int tasks = std::max(1, executor_.concurrency());
    const auto engine = make_axis_engine<Real>(recipe, problem_, tasks);
    const Index task_reals = round_up(engine->task_reals(), 64) + 16;
    Buffer<Real> scratch(tasks * task_reals + engine->shared_reals());
    double best = 1e30, total = 0;
    for (int round = 0; round < 3 || (total < 3e-3 && round < 2000); ++round) {
      const auto start = Clock::now();
      run(*engine, scratch.data(), task_reals, tasks);
      const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
      best = std::min(best, elapsed);
      total += elapsed;
      if (best > give_up_s && round >= 1) break;
    }
    return best;
  }

 private:
  void run(const AxisEngine<Real>& engine, Real* scratch, Index task_reals, int tasks) const {
    for (int phase = 0; phase < engine.phases(); ++phase) {
      const Index units = engine.units(phase);
      const int used = static_cast<int>(std::min<Index>(tasks, units));
      const auto body = [&](int task) {
        engine.run(phase, units * task / used, units * (task + 1) / used, first_in_, first_out_,
                   {scratch + task * task_reals, scratch + tasks * task_reals});
      };
      if (used == 1)
        body(0);
      else
        executor_.run(used, body);
    }
  }

  AxisProblem problem_;
  const Executor& executor_;
  Buffer<char> in_, out_;
  char *first_in_ = nullptr, *first_out_ = nullptr;
};

std::string name_of(const AxisTask& task) {
  const AxisProblem& p = task.problem;
  std::string name = std::to_string(static_cast<int>(p.kind)) + " " +
                     std::to_string(static_cast<int>(p.r2r)) + " " + std::to_string(p.n) + " " +
                     std::to_string(p.in_row) + " " + std::to_string(p.out_row) +
                     (task.from == task.to ? " in place" : "");
  for (const Loop& loop : p.loops)
    name += " " + std::to_string(loop.count) + ":" + std::to_string(loop.in) + ":" +
            std::to_string(loop.out);
  return name;
}

/// The model compares recipes of one type well and types less so: the best two of each come first,
/// then the others by their cost.
std::vector<AxisRecipe> few_of_each_type(const std::vector<AxisRecipe>& candidates) {
  std::map<AxisRecipe::Type, int> seen;
  std::vector<AxisRecipe> first, others;
  for (const AxisRecipe& recipe : candidates)
    (seen[recipe.type]++ < 2 ? first : others).push_back(recipe);
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

template <class Real>
AxisRecipe fastest(const AxisTask& task, const std::vector<AxisRecipe>& ranked,
                   const Choice& choice, double limit_s) {
  const std::vector<AxisRecipe> candidates = few_of_each_type(ranked);
  const Span in = span_of(task.problem, false);
  constexpr Index too_far = Index{3}
                            << 30;  // reals: timing would take more memory than it is worth
  if (candidates.size() < 2 || in.high - in.low > too_far) return ranked.front();
  const auto start = Clock::now();
  const AxisTimer<Real> timer(task.problem, task.from == task.to, *choice.executor);
  const std::size_t most = choice.effort == Effort::patient
                               ? candidates.size()
                               : std::min<std::size_t>(candidates.size(), 14);
  // Twice, so that a candidate whose turn came when the machine was busy gets another one.
  std::vector<double> times(most, 1e30);
  double best = 1e30;
  for (int turn = 0; turn < 2; ++turn)
    for (std::size_t i = 0; i < most; ++i) {
      if (std::chrono::duration<double>(Clock::now() - start).count() > limit_s && best < 1e30)
        break;
      if (turn > 0 && times[i] > 2 * best) continue;
      times[i] = std::min(times[i], timer.time(candidates[i], 1.5 * best));
      best = std::min(best, times[i]);
    }
  return candidates[static_cast<std::size_t>(std::ranges::min_element(times) - times.begin())];
}

AxisRecipe choose_axis(const AxisTask& task, const ArrayProblem& problem, const Choice& choice,
                       double limit_s) {
  const auto candidates = axis_candidates(task.problem, arithmetic(problem.precision));
  if (candidates.empty())
    throw Error(ErrorCode::internal,
                "no recipe for a transform of length " + std::to_string(task.problem.n));
  if (choice.effort == Effort::estimate) return candidates.front();
  return problem.precision == Precision::f64 ? fastest<double>(task, candidates, choice, limit_s)
                                             : fastest<float>(task, candidates, choice, limit_s);
}

}  // namespace

ArrayRecipe choose_recipe(const ArrayProblem& problem, const Choice& choice) {
  const int threads = std::max(1, choice.executor->concurrency());
  ArrayRecipe recipe;
  recipe.tile_bytes = std::max(machine_model().l2_bytes, machine_model().l3_bytes / threads);
  std::map<std::string, AxisRecipe> known;  // equal axes are decided once
  const auto tiles = cut_into_tiles(problem, recipe.tile_bytes);
  for (const TileTask& tile : tiles)
    for (const AxisTask& task : tile.axes) {
      const std::string name = name_of(task);
      auto found = known.find(name);
      if (found == known.end())
        found = known
                    .emplace(name, choose_axis(task, problem, choice,
                                               choice.time_limit_s /
                                                   static_cast<double>(problem.axes.size())))
                    .first;
      recipe.axes.push_back(found->second);
    }
  return recipe;
}

}  // namespace weft::local
