// SPDX-License-Identifier: BSD-3-Clause
#include "bench/pair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "commands.hpp"
#include "problem.hpp"
#include "timing.hpp"

namespace weft::tool {

RowArrays::RowArrays(const Row& row, Direction direction)
    : row_(row), geometry_(geometry_of(row, direction)) {
  const std::size_t larger = std::max(geometry_.in_bytes, geometry_.out_bytes);
  const bool in_place = row.place == Place::in;
  first_ = Buffer<std::byte>(static_cast<Index>(in_place ? larger : geometry_.in_bytes));
  if (!in_place) second_ = Buffer<std::byte>(static_cast<Index>(geometry_.out_bytes));
  clear();
}

void RowArrays::fill_input(unsigned seed) {
  fill_random(in(), geometry_.in_bytes, row_.precision, seed);
}

void RowArrays::clear() {
  std::memset(first_.data(), 0, static_cast<std::size_t>(first_.size()));
  if (second_.size() > 0) std::memset(second_.data(), 0, static_cast<std::size_t>(second_.size()));
}

void RowArrays::fill_for_timing() {
  if (row_.place == Place::in)
    clear();
  else
    fill_input(1);
}

WeftRun::WeftRun(RowArrays& arrays, PlanOptions options) {
  const Geometry& geometry = arrays.geometry();
  const Stopwatch watch;
  options.threads = arrays.row().threads;
  plan_.emplace(geometry.transform, geometry.in, geometry.out, options);
  planning_s_ = watch.seconds();
  workspace_.emplace(plan_->make_workspace());
  if (workspace_->bytes() > 0) std::memset(workspace_->data(), 0, workspace_->bytes());
  call_ = execution(*plan_, arrays.in(), arrays.out(), *workspace_);
}

Pair::Pair(const Row& row, Direction direction, Fftw* fftw, const PairOptions& options)
    : arrays_(row, direction), weft_(arrays_, options.weft) {
  if (fftw == nullptr) return;
  const Stopwatch fftw_watch;
  FftwProblem wanted = problem();
  wanted.effort = options.fftw_effort;
  run_fftw_ = fftw->plan(wanted, row.precision);
  fftw_planning_s_ = fftw_watch.seconds();
  if (!run_fftw_)
    throw Error(ErrorCode::unsupported,
                fmt::format("FFTW cannot plan {}; leave this row out with --rows", row.label()));
}

FftwProblem Pair::problem() {
  FftwProblem problem = geometry().problem;
  problem.in = in();
  problem.out = out();
  problem.threads = row().threads;
  return problem;
}

namespace {

template <class Real>
double relative_difference_of(const Real* a, const Real* b, std::size_t count) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    difference += d * d;
    norm += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

}  // namespace

double relative_difference(const void* a, const void* b, std::size_t bytes, Precision precision) {
  if (precision == Precision::f32)
    return relative_difference_of(static_cast<const float*>(a), static_cast<const float*>(b),
                                  bytes / sizeof(float));
  return relative_difference_of(static_cast<const double*>(a), static_cast<const double*>(b),
                                bytes / sizeof(double));
}

double verify(Pair& pair) { return verify(pair, pair.fftw(), "FFTW"); }

double verify(Pair& pair, const std::function<void()>& peer, const char* name) {
  const std::size_t bytes = pair.geometry().out_bytes;
  Buffer<std::byte> ours(static_cast<Index>(bytes));
  pair.fill_input(1);
  pair.run_weft();
  std::memcpy(ours.data(), pair.out(), bytes);
  pair.fill_input(1);
  peer();
  const Row& row = pair.row();
  const double difference = relative_difference(ours.data(), pair.out(), bytes, row.precision);
  const double epsilon = row.precision == Precision::f32 ? std::numeric_limits<float>::epsilon()
                                                         : std::numeric_limits<double>::epsilon();
  // Both libraries have errors of a few units in the last place per level of the transform.
  const double allowed = 5 * epsilon * std::log2(2 + row.flops());
  if (!(difference <= allowed))
    throw Failed{fmt::format(
        "{}: weft and {} differ by {:.2g} (relative, L2); rounding explains at most {:.2g}",
        row.label(), name, difference, allowed)};
  return difference;
}

namespace {

template <class Call>
double time_block(int repetitions, const Call& call) {
  const Stopwatch watch;
  for (int i = 0; i < repetitions; ++i) call();
  return watch.seconds() / repetitions;
}

/// Repetitions that fill a block, found with two calls: the first one also warms up.
template <class Call>
int repetitions_for(double block_s, const Call& call) {
  call();
  const double once = std::max(time_block(1, call), 1e-8);
  return static_cast<int>(std::clamp(std::ceil(block_s / once), 1.0, 1e6));
}

}  // namespace

Times time_in_turns(const std::function<void()>& first, const std::function<void()>& second,
                    const TimingOptions& options) {
  const int first_repetitions = repetitions_for(options.block_s, first);
  const int second_repetitions = repetitions_for(options.block_s, second);
  std::vector<double> firsts, seconds, ratios;
  const Stopwatch watch;
  for (int round = 0; round < options.rounds; ++round) {
    if (round >= 3 && watch.seconds() > options.row_limit_s) break;
    const bool begins = round % 2 == 0;
    if (begins) firsts.push_back(time_block(first_repetitions, first));
    seconds.push_back(time_block(second_repetitions, second));
    if (!begins) firsts.push_back(time_block(first_repetitions, first));
    ratios.push_back(seconds.back() / firsts.back());
  }
  const auto rounds = static_cast<int>(ratios.size());
  if (options.statistic == Statistic::median)
    return {median(firsts), median(seconds), median(ratios), rounds};
  const double first_s = *std::ranges::min_element(firsts);
  const double second_s = *std::ranges::min_element(seconds);
  return {first_s, second_s, second_s / first_s, rounds};
}

Times time_pair(Pair& pair, const std::function<void()>& peer, const TimingOptions& options) {
  pair.arrays().fill_for_timing();
  return time_in_turns(pair.weft(), peer, options);
}

}  // namespace weft::tool
