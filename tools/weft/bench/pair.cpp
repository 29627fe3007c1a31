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

Pair::Pair(const Row& row, Direction direction, Fftw* fftw, const PairOptions& options)
    : row_(row), geometry_(geometry_of(row, direction)) {
  const std::size_t larger = std::max(geometry_.in_bytes, geometry_.out_bytes);
  const bool in_place = row.place == Place::in;
  first_ = Buffer<std::byte>(static_cast<Index>(in_place ? larger : geometry_.in_bytes));
  if (!in_place) second_ = Buffer<std::byte>(static_cast<Index>(geometry_.out_bytes));
  clear_memory();

  const Stopwatch weft_watch;
  PlanOptions plan_options = options.weft;
  plan_options.threads = row.threads;
  plan_.emplace(geometry_.transform, geometry_.in, geometry_.out, plan_options);
  weft_planning_s_ = weft_watch.seconds();
  workspace_.emplace(plan_->make_workspace());
  if (workspace_->bytes() > 0) std::memset(workspace_->data(), 0, workspace_->bytes());

  if (fftw == nullptr) return;
  const Stopwatch fftw_watch;
  FftwProblem problem = geometry_.problem;
  problem.in = in();
  problem.out = out();
  problem.threads = row.threads;
  problem.effort = options.fftw_effort;
  run_fftw_ = fftw->plan(problem, row.precision);
  fftw_planning_s_ = fftw_watch.seconds();
  if (!run_fftw_)
    throw Error(ErrorCode::unsupported,
                fmt::format("FFTW makes no plan for {}; leave the row out by --rows", row.label()));
}

void Pair::fill_input(unsigned seed) {
  fill_random(in(), geometry_.in_bytes, row_.precision, seed);
}

void Pair::clear_memory() {
  std::memset(first_.data(), 0, static_cast<std::size_t>(first_.size()));
  if (second_.size() > 0) std::memset(second_.data(), 0, static_cast<std::size_t>(second_.size()));
}

void Pair::run_weft() { execute(*plan_, in(), out(), *workspace_); }

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

double verify(Pair& pair) {
  const std::size_t bytes = pair.geometry().out_bytes;
  Buffer<std::byte> ours(static_cast<Index>(bytes));
  pair.fill_input(1);
  pair.run_weft();
  std::memcpy(ours.data(), pair.out(), bytes);
  pair.fill_input(1);
  pair.run_fftw();
  const Row& row = pair.row();
  const double difference = relative_difference(ours.data(), pair.out(), bytes, row.precision);
  const double epsilon = row.precision == Precision::f32 ? std::numeric_limits<float>::epsilon()
                                                         : std::numeric_limits<double>::epsilon();
  // Both err by a few units in the last place per level of the transform.
  const double allowed = 5 * epsilon * std::log2(2 + row.flops());
  if (!(difference <= allowed))
    throw Failed{
        fmt::format("{}: weft and FFTW differ by {:.2g} in relative L2, {:.2g} is rounding",
                    row.label(), difference, allowed)};
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

Times time_pair(Pair& pair, const TimingOptions& options) {
  // In place every call transforms the last result: zeros stay zeros, anything else overflows.
  if (pair.row().place == Place::in)
    pair.clear_memory();
  else
    pair.fill_input(1);
  const auto weft_call = [&] { pair.run_weft(); };
  const auto fftw_call = [&] { pair.run_fftw(); };
  const int weft_repetitions = repetitions_for(options.block_s, weft_call);
  const int fftw_repetitions = repetitions_for(options.block_s, fftw_call);

  std::vector<double> weft, fftw, ratios;
  const Stopwatch watch;
  for (int round = 0; round < options.rounds; ++round) {
    if (round >= 3 && watch.seconds() > options.row_limit_s) break;
    const bool weft_first = round % 2 == 0;
    if (weft_first) weft.push_back(time_block(weft_repetitions, weft_call));
    fftw.push_back(time_block(fftw_repetitions, fftw_call));
    if (!weft_first) weft.push_back(time_block(weft_repetitions, weft_call));
    ratios.push_back(fftw.back() / weft.back());
  }
  const auto rounds = static_cast<int>(ratios.size());
  if (options.statistic == Statistic::median)
    return {median(weft), median(fftw), median(ratios), rounds};
  const double best_weft = *std::ranges::min_element(weft);
  const double best_fftw = *std::ranges::min_element(fftw);
  return {best_weft, best_fftw, best_fftw / best_weft, rounds};
}

}  // namespace weft::tool
