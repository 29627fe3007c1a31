// SPDX-License-Identifier: BSD-3-Clause
#include "local/choose/timers.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/machine.hpp"
#include "base/names.hpp"
#include "local/array/array_plan.hpp"
#include "local/array/memory.hpp"
#include "tune/choose.hpp"
#include "tune/timing.hpp"

namespace weft::local {
namespace {

using tune::best_of_runs;
using tune::Clock;
using tune::deadline_in;

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
  const double enough_bytes = std::clamp(4 * cache, 48.0e6, 2048.0e6);
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

/// Times one axis recipe after another on memory of the problem's own strides. The workers share
/// the problem; where there are more threads, each of the others does the same on memory of its
/// own.
template <class Real>
class AxisTimer {
 public:
  AxisTimer(const AxisProblem& problem, const Setting& setting, const Executor& executor)
      : problem_(shortened(problem, problem.half ? 2 : sizeof(Real))),
        executor_(executor),
        tasks_(setting.threads),
        workers_(setting.workers),
        factors_(problem.twiddled ? 2 * problem.n : 0) {
    std::ranges::fill(factors_.span(), Real(1));
    shortening_ = static_cast<double>(LoopIndex(problem.loops).count()) /
                  static_cast<double>(LoopIndex(problem_.loops).count());
    const Span in = span_of(problem_, false), out = span_of(problem_, true);
    const Index bytes = problem.half ? 2 : Index{sizeof(Real)};
    in_imag_ = problem.in_form.split ? in.high - in.low : 1;
    out_imag_ = problem.out_form.split ? out.high - out.low : 1;
    in_bytes_ = round_up((in.high - in.low + in_imag_) * bytes, 64);
    out_bytes_ =
        setting.in_place ? in_bytes_ : round_up((out.high - out.low + out_imag_) * bytes, 64);
    in_ = zeros(in_bytes_);
    first_in_ = in_.data() - in.low * bytes;
    first_out_ = first_in_;
    if (setting.in_place) return;
    out_ = zeros(out_bytes_);
    first_out_ = out_.data() - out.low * bytes;
  }

  /// Best of several runs, in seconds of the whole problem.
  double time(const AxisRecipe& recipe, double give_up_s, Clock::time_point deadline) const {
    const auto engine = make_axis_engine<Real>(recipe, problem_);
    const Index task_reals = round_up(engine->task_reals(), 64) + 16;
    Buffer<Real> scratch(tasks_ * task_reals + engine->shared_reals());
    return best_of_runs([&] { run(*engine, scratch.data(), task_reals); }, shortening_, give_up_s,
                        deadline);
  }

 private:
  int copies() const { return workers_ < tasks_ ? tasks_ : 1; }
  Buffer<char> zeros(Index bytes) const {
    Buffer<char> memory(copies() * bytes);
    std::memset(memory.data(), 0, static_cast<std::size_t>(memory.size()));
    return memory;
  }

  void run(const AxisEngine<Real>& engine, Real* scratch, Index task_reals) const {
    if (copies() > 1)
      return executor_.run(tasks_, [&](int task) {
        engine.run_all(
            first_in_ + task * in_bytes_, first_out_ + task * out_bytes_,
            {scratch + task * task_reals, nullptr, factors_.data(), in_imag_, out_imag_});
      });
    for (int phase = 0; phase < engine.phases(); ++phase) {
      const Index units = engine.units(phase);
      const int used = static_cast<int>(std::min<Index>(tasks_, units));
      const auto body = [&](int task) {
        engine.run(phase, units * task / used, units * (task + 1) / used, first_in_, first_out_,
                   {scratch + task * task_reals, scratch + tasks_ * task_reals, factors_.data(),
                    in_imag_, out_imag_});
      };
      if (used == 1)
        body(0);
      else
        executor_.run(used, body);
    }
  }

  AxisProblem problem_;
  const Executor& executor_;
  int tasks_, workers_;
  Buffer<Real> factors_;   // of a twiddled problem
  double shortening_ = 1;  // of the problem, to time it
  Index in_imag_ = 1, out_imag_ = 1;
  Index in_bytes_ = 0, out_bytes_ = 0;
  Buffer<char> in_, out_;
  char *first_in_ = nullptr, *first_out_ = nullptr;
};

/// Offsets that a side of the problem touches, in reals: [first, second).
std::pair<double, double> reach(const ArrayProblem& problem, Place place) {
  double low = 0, high = 2;
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d) {
    const auto last = static_cast<double>(problem.dimensions[at(d)].n - 1);
    const auto stride = static_cast<double>(stride_of(problem, d, place));
    (stride < 0 ? low : high) += last * stride;
  }
  return {low, high};
}
double bytes_of(const ArrayProblem& problem, Place place) {
  const auto [low, high] = reach(problem, place);
  return (high - low) * static_cast<double>(real_bytes(problem.precision));
}

/// Times whole recipes on arrays of zeros.
class ArrayTimer {
 public:
  ArrayTimer(const ArrayProblem& problem, std::shared_ptr<const Executor> executor)
      : problem_(problem),
        executor_(std::move(executor)),
        in_(problem, Place::input),
        out_(problem, Place::output) {}

  /// Best of several runs, in seconds.
  double time(const ArrayRecipe& recipe, double give_up_s, Clock::time_point deadline) const {
    return problem_.precision == Precision::f64 ? time<double>(recipe, give_up_s, deadline)
                                                : time<float>(recipe, give_up_s, deadline);
  }

 private:
  struct Side {
    Buffer<char> memory;
    char* first;
    Index imag;  // from real to imaginary parts

    Side(const ArrayProblem& problem, Place place)
        : memory((is_split(problem, place) ? 2 : 1) * static_cast<Index>(bytes_of(problem, place))),
          imag(is_split(problem, place) ? memory.size() / 2 / real_bytes(problem.precision) : 1) {
      std::memset(memory.data(), 0, static_cast<std::size_t>(memory.size()));
      first = memory.data() -
              static_cast<Index>(reach(problem, place).first) * real_bytes(problem.precision);
    }
  };

  template <class Real>
  double time(const ArrayRecipe& recipe, double give_up_s, Clock::time_point deadline) const {
    const ArrayPlan<Real> plan(recipe, problem_, executor_);
    Buffer<char> workspace(static_cast<Index>(plan.workspace_bytes()));
    return best_of_runs(
        [&] { plan.execute(in_.first, out_.first, workspace.data(), in_.imag, out_.imag); }, 1,
        give_up_s, deadline);
  }

  const ArrayProblem& problem_;
  std::shared_ptr<const Executor> executor_;
  Side in_, out_;
};

template <class Real>
std::vector<double> time_axis(std::span<const AxisRecipe> recipes, const AxisProblem& problem,
                              const Setting& setting, const Executor& executor, double limit_s) {
  const auto deadline = deadline_in(limit_s);
  const AxisTimer<Real> timer(problem, setting, executor);
  return tune::time_in_turns(
      recipes.size(),
      [&](std::size_t i, double give_up_s) { return timer.time(recipes[i], give_up_s, deadline); },
      limit_s);
}

}  // namespace

bool is_too_large_to_time(const AxisProblem& problem) {
  const Span in = span_of(problem, false);
  return in.high - in.low > Index{3} << 30;  // reals
}

bool is_too_large_to_time(const ArrayProblem& problem) {
  return bytes_of(problem, Place::input) + bytes_of(problem, Place::output) >
         std::min(16e9, memory_of_this_machine() / 4);
}

double seconds_to_time(const AxisRecipe& recipe, const AxisProblem& problem, const Setting& setting,
                       double byte_s) {
  const Index bytes = problem.half ? 2 : real_bytes(setting.precision);
  const AxisProblem timed = shortened(problem, static_cast<double>(bytes));
  const Span in = span_of(timed, false), out = span_of(timed, true);
  Index reals = in.high - in.low;
  if (!setting.in_place) reals += out.high - out.low;
  if (setting.workers < setting.threads) reals *= setting.threads;
  return byte_s * static_cast<double>(reals * bytes) +
         3e-9 * axis_ns(recipe, timed, setting, machine_model());
}

double seconds_to_fill(const ArrayProblem& problem, double byte_s) {
  return byte_s * (bytes_of(problem, Place::input) + bytes_of(problem, Place::output));
}

std::vector<double> time_recipes(std::span<const AxisRecipe> recipes, const AxisProblem& problem,
                                 const Setting& setting, const Executor& executor, double limit_s) {
  return setting.precision == Precision::f64
             ? time_axis<double>(recipes, problem, setting, executor, limit_s)
             : time_axis<float>(recipes, problem, setting, executor, limit_s);
}

std::vector<double> time_recipes(std::span<const ArrayRecipe> recipes, const ArrayProblem& problem,
                                 const std::shared_ptr<const Executor>& executor, double limit_s) {
  const auto deadline = deadline_in(limit_s);
  const ArrayTimer timer(problem, executor);
  return tune::time_in_turns(
      recipes.size(),
      [&](std::size_t i, double give_up_s) { return timer.time(recipes[i], give_up_s, deadline); },
      limit_s);
}

}  // namespace weft::local
