// SPDX-License-Identifier: BSD-3-Clause
#include "global/choose/trials.hpp"

#include <algorithm>

#include "comm/agree.hpp"
#include "global/choose/local_tuner.hpp"
#include "tune/timing.hpp"

namespace weft::global {
namespace {

constexpr int rounds = 3;

using tune::Clock;
using tune::seconds_since;

/// While it lives, local transforms may be timed.
class LocalTuning {
 public:
  LocalTuning(std::shared_ptr<LocalTuner> tuner, double seconds, double byte_s)
      : tuner_(std::move(tuner)) {
    if (tuner_) tuner_->allow(seconds, byte_s);
  }
  ~LocalTuning() {
    if (tuner_) tuner_->allow(0);
  }
  LocalTuning(const LocalTuning&) = delete;

 private:
  std::shared_ptr<LocalTuner> tuner_;
};

}  // namespace

bool Trials::decide(bool yes) const {
  char answer = yes ? 1 : 0;
  comm_.broadcast(&answer, sizeof answer, 0);
  return answer != 0;
}

double Trials::slowest(double seconds) const {
  // In femtoseconds: some are the time of a byte.
  return -1e-15 * static_cast<double>(comm_.minimum(-static_cast<Index>(1e15 * seconds)));
}

/// The final build comes after the trials.
double Trials::left_s() const {
  return wishes_.choice.time_limit_s - seconds_since(wishes_.began) - build_s_;
}

/// A trial builds the plan, as the end of planning does once more, and runs it.
double Trials::needed_s(const RecipeCost& expected) {
  build_s_ = std::max(build_s_, byte_s_ * static_cast<double>(expected.workspace_bytes));
  return std::max(trial_s_, build_s_ + rounds * expected.total_s());
}

/// New memory costs more time than a pass over old: the kernel makes its pages, and it may have to
/// look for them. So the clock is read again and again.
bool Trials::fill(std::unique_ptr<DeviceBuffer>& buffer, Index bytes) {
  constexpr Index slice = Index{64} << 20;
  const RankDevice& device = *wishes_.build.device;
  buffer.reset();
  buffer = device.allocate(bytes);
  for (Index begin = 0; begin < bytes; begin += slice) {
    if (left_s() < 0) return false;
    device.fill_with_zeros(buffer->data() + begin, std::min(slice, bytes - begin));
  }
  return true;
}

bool Trials::begin(const RecipeCost& expected) {
  if (!decide(left_s() > 0)) return false;
  const GlobalProblem& t = problem_;
  const Index in_bytes = in_element_bytes(t.kind, t.precision);
  const Index out_bytes = out_element_bytes(t.kind, t.precision);
  const Index in = reshape::footprint(input_, in_bytes) * in_bytes;
  const Index out = reshape::footprint(output_, out_bytes) * out_bytes;
  constexpr Index sample = Index{16} << 20;
  // The rate of the arrays themselves may be worse than that of the sample before them.
  const auto fill_all = [&](Index first, Index second) {
    bool filled = true;
    const auto start = Clock::now();
    agree(comm_, [&] { filled = fill(in_, first) && fill(out_, second); });
    const auto bytes = static_cast<double>(std::max(sample, first + second));
    byte_s_ = std::max(byte_s_, slowest(seconds_since(start) / bytes));
    return comm_.minimum(filled ? 1 : 0) == 1;
  };
  if (!fill_all(sample, 0)) return false;
  const double fill_s = slowest(byte_s_ * static_cast<double>(in + out));
  if (!decide(left_s() > fill_s + needed_s(expected))) return false;
  if (!make_windows()) return false;
  return fill_all(in_window_ ? 0 : in, out_window_ ? 0 : out) &&
         decide(left_s() > needed_s(expected));
}

/// Arrays that the ranks reach like those of the caller. False if there is no memory for them.
bool Trials::make_windows() {
  const GlobalProblem& t = problem_;
  const ReachedArrays& wanted = wishes_.build.reached;
  if (t.reach.input) {
    in_window_ = Window::make(wanted.input_bytes, comm_);
    reached_.input =
        reached_pieces(comm_, input_, *in_window_, in_element_bytes(t.kind, t.precision));
  }
  if (t.reach.output) {
    out_window_ = Window::make(wanted.output_bytes, comm_);
    reached_.output =
        reached_pieces(comm_, output_, *out_window_, out_element_bytes(t.kind, t.precision));
  }
  return (!in_window_ || !reached_.input.empty()) && (!out_window_ || !reached_.output.empty());
}

std::optional<double> Trials::time(const Recipe& recipe, const RecipeCost& expected,
                                   double tuning) {
  const double trial_s = needed_s(expected), spare_s = left_s() - trial_s;
  double tuning_s = spare_s > 0 ? tuning * spare_s : -1.0;
  comm_.broadcast(&tuning_s, sizeof tuning_s, 0);
  if (tuning_s < 0) return std::nullopt;
  const LocalTuning allowed(wishes_.build.stage.tuner, tuning_s, byte_s_);
  const auto begin = Clock::now();
  const Timing timing = time_of(recipe);
  if (tuning == 0) {
    build_s_ = std::max(build_s_, timing.build_s);
    trial_s_ = std::max(trial_s_, seconds_since(begin));
  }
  return timing.execute_s;
}

/// Executions on the slowest rank, the best of three, or of as many as there is time for.
Trials::Timing Trials::time_of(const Recipe& recipe) {
  const auto begin = Clock::now();
  BuildOptions build = wishes_.build;
  build.workspace = nullptr;
  build.reached = reached_;
  const void* const in = in_window_ ? in_window_->data() : in_->data();
  void* const out = out_window_ ? out_window_->data() : out_->data();
  const auto plan = make_plan(problem_, recipe, input_, output_, comm_, build);
  Timing timing{seconds_since(begin), 1e30};
  for (int round = 0; round < rounds; ++round) {
    comm_.barrier();
    const auto start = Clock::now();
    plan->execute({in, out});
    wishes_.build.device->synchronize();
    const double execute_s = slowest(seconds_since(start));
    timing.execute_s = std::min(timing.execute_s, execute_s);
    if (!decide(left_s() > execute_s)) break;
  }
  return timing;
}

}  // namespace weft::global
