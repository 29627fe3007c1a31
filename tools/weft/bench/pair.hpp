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

class Pair {
 public:
  Pair(const Row& row, Direction direction, Fftw* fftw, const PairOptions& options);

  const Row& row() const { return row_; }
  const Geometry& geometry() const { return geometry_; }
  const Plan& plan() const { return *plan_; }
  double weft_planning_s() const { return weft_planning_s_; }
  double fftw_planning_s() const { return fftw_planning_s_; }
  bool has_fftw() const { return static_cast<bool>(run_fftw_); }

  std::byte* in() { return first_.data(); }
  std::byte* out() { return row_.place == Place::in ? first_.data() : second_.data(); }
  void fill_input(unsigned seed);
  void clear_memory();
  void run_weft();
  void run_fftw() { run_fftw_(); }

 private:
  Row row_;
  Geometry geometry_;
  Buffer<std::byte> first_, second_;  // in place only the first
  std::optional<Plan> plan_;
  std::optional<Workspace> workspace_;
  std::function<void()> run_fftw_;
  double weft_planning_s_ = 0, fftw_planning_s_ = 0;
};

/// Relative L2 distance of two arrays of `bytes` bytes of reals.
double relative_difference(const void* a, const void* b, std::size_t bytes, Precision precision);

/// Runs both on the same input and throws Failed when their results differ by more than rounding.
/// Returns the relative difference.
double verify(Pair& pair);

/// Which of the rounds speaks for a row.
enum class Statistic {
  median,   ///< and the median of the rounds' ratios
  minimum,  ///< on a machine that others use as well: the least disturbed round of each library
};

struct Times {
  double weft_s = 0, fftw_s = 0;
  double ratio = 0;  ///< FFTW's time by weft's
  int rounds = 0;
};
struct TimingOptions {
  double block_s = 7e-3;
  int rounds = 9;
  Statistic statistic = Statistic::median;
  double row_limit_s = 20;  ///< slow rows get fewer rounds, at least three
};
/// Alternates blocks of both libraries, changing who goes first.
Times time_pair(Pair& pair, const TimingOptions& options);

}  // namespace weft::tool
