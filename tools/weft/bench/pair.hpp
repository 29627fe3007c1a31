// SPDX-License-Identifier: BSD-3-Clause
// One row of the benchmark with both libraries planned on the same memory.
#pragma once

#include <functional>
#include <optional>

#include "base/buffer.hpp"
#include "bench/fftw.hpp"
#include "bench/rows.hpp"
#include "weft/plan.hpp"

namespace weft::tool {

struct PairOptions {
  PlanOptions weft = {.effort = Effort::measure};
  FftwEffort fftw_effort = FftwEffort::measure;
};

/// The memory of a row: all that is compared runs on it.
class RowArrays {
 public:
  RowArrays(const Row& row, Direction direction);

  const Row& row() const { return row_; }
  const Geometry& geometry() const { return geometry_; }
  std::byte* in() { return first_.data(); }
  std::byte* out() { return row_.place == Place::in ? first_.data() : second_.data(); }
  void fill_input(unsigned seed);
  void clear();
  /// In place every call transforms the last result: zeros stay zeros, anything else overflows.
  void fill_for_timing();

 private:
  Row row_;
  Geometry geometry_;
  Buffer<std::byte> first_, second_;  // in place only the first
};

/// A plan of weft for a row, with its workspace.
class WeftRun {
 public:
  /// The threads are the row's.
  WeftRun(RowArrays& arrays, PlanOptions options);
  WeftRun(const WeftRun&) = delete;  // call() names its members
  const Plan& plan() const { return *plan_; }
  double planning_s() const { return planning_s_; }
  void run() { call_(); }
  /// One execution, as peers give theirs.
  const std::function<void()>& call() const { return call_; }

 private:
  std::optional<Plan> plan_;
  std::optional<Workspace> workspace_;
  std::function<void()> call_;
  double planning_s_ = 0;
};

class Pair {
 public:
  Pair(const Row& row, Direction direction, Fftw* fftw, const PairOptions& options);

  const Row& row() const { return arrays_.row(); }
  const Geometry& geometry() const { return arrays_.geometry(); }
  RowArrays& arrays() { return arrays_; }
  const Plan& plan() const { return weft_.plan(); }
  double weft_planning_s() const { return weft_.planning_s(); }
  double fftw_planning_s() const { return fftw_planning_s_; }
  bool has_fftw() const { return static_cast<bool>(run_fftw_); }

  std::byte* in() { return arrays_.in(); }
  std::byte* out() { return arrays_.out(); }
  void fill_input(unsigned seed) { arrays_.fill_input(seed); }
  void run_weft() { weft_.run(); }
  const std::function<void()>& weft() const { return weft_.call(); }
  void run_fftw() { run_fftw_(); }
  const std::function<void()>& fftw() const { return run_fftw_; }
  /// The row on this memory, for other peers.
  FftwProblem problem();

 private:
  RowArrays arrays_;
  WeftRun weft_;
  std::function<void()> run_fftw_;
  double fftw_planning_s_ = 0;
};

/// Relative L2 distance of two arrays of `bytes` bytes of reals.
double relative_difference(const void* a, const void* b, std::size_t bytes, Precision precision);

/// Runs weft and a peer on the same input and throws Failed when their results differ by more than
/// rounding. Returns the relative difference.
double verify(Pair& pair, const std::function<void()>& peer, const char* name);
/// With FFTW.
double verify(Pair& pair);

/// How the rounds of a row are summarised.
enum class Statistic {
  median,   ///< the median time, and the median of the rounds' ratios
  minimum,  ///< the fastest round of each side, for machines that others use too
};

struct Times {
  double first_s = 0, second_s = 0;  ///< of a call
  double ratio = 0;                  ///< the second's time divided by the first's
  int rounds = 0;
};
struct TimingOptions {
  double block_s = 7e-3;
  int rounds = 9;
  Statistic statistic = Statistic::median;
  double row_limit_s = 20;  ///< slow rows get fewer rounds, at least three
};
/// Times blocks of both in alternation; each goes first in every other round.
Times time_in_turns(const std::function<void()>& first, const std::function<void()>& second,
                    const TimingOptions& options);
/// weft first, the peer second.
Times time_pair(Pair& pair, const std::function<void()>& peer, const TimingOptions& options);

}  // namespace weft::tool
