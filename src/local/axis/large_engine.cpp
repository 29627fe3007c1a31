// SPDX-License-Identifier: BSD-3-Clause
// Long transforms in two passes over memory, n = n1 n2. Phase 1 takes groups of neighbouring
// columns through DFT(n1) and the twiddles into a buffer; phase 2 takes groups of its rows through
// DFT(n2) and stores each as columns of the output. Lines are shared out among threads, or all
// threads work on one line together. Streaming recipes store full groups past the caches, at any
// address; the last rows that fill no group are stored as usual.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/index.hpp"
#include "local/axis/engines.hpp"
#include "local/axis/twiddled_columns.hpp"
#include "local/lane/lane_plan.hpp"

namespace weft::local {
namespace {

using codelet::KernelLayout;

template <class Real>
class LargeEngine final : public AxisEngine<Real> {
 public:
  LargeEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : loops_(problem.loops),
        lanes_(codelet::lanes(recipe.isa, precision)),
        n1_(recipe.lane[0].n),
        n2_(recipe.lane[1].n),
        in_lane_(problem.in_row),
        out_lane_(problem.out_row),
        middle_row_(2 * n2_ +
                    2 * 64 /
                        Index{sizeof(Real)}),  // rows apart by two lines more than a power of two
        together_(recipe.together),
        columns_({.recipe = recipe.lane[0],
                  .isa = recipe.isa,
                  .direction = problem.direction,
                  .groups = recipe.groups,
                  .line = n1_ * n2_,
                  .columns = n2_,
                  .in_row = n2_ * in_lane_,
                  .in_lane = in_lane_,
                  .out_row = middle_row_,
                  .stream = recipe.stream}),
        stream_(recipe.stream),
        rows_(row_request(recipe, problem, recipe.groups)),
        last_rows_(row_request(recipe, problem, 1)),
        groups_(recipe.groups),
        ops_(lane_ops<Real>(recipe.isa)),
        scale_(problem.scale) {
    if (stream_) streamed_.emplace(stream_request(recipe, problem));
    middle_reals_ = round_up(n1_ * middle_row_, 64 / Index{sizeof(Real)});
    const Index work =
        std::max({columns_.scratch_reals(), stream_rows() + 2 * ahead().scratch_reals(),
                  rows_.scratch_reals(), last_rows_.scratch_reals()});
    this->task_reals_ = work + (together_ ? 0 : middle_reals_);
    this->shared_reals_ = together_ ? middle_reals_ : 0;
  }

  int phases() const override { return together_ ? static_cast<int>(2 * loops_.count()) : 1; }
  Index units(int phase) const override {
    if (!together_) return loops_.count();
    return phase % 2 == 0 ? columns_.blocks() : row_blocks();
  }

  void run(int phase, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    const Real* x = static_cast<const Real*>(in);
    Real* y = static_cast<Real*>(out);
    if (together_) {
      const auto at = loops_(phase / 2);
      if (phase % 2 == 0)
        columns_.run(begin, end, x + at.in, scratch.shared, scratch.task);
      else
        run_rows(begin, end, scratch.shared, y + at.out, scratch.task);
      return;
    }
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = loops_(unit);
      Real* work = scratch.task + middle_reals_;
      columns_.run(0, columns_.blocks(), x + at.in, scratch.task, work);
      run_rows(0, row_blocks(), scratch.task, y + at.out, work);
    }
  }

 private:
  static constexpr Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;

  Index block() const { return lanes_ * groups_; }
  Index row_blocks() const { return ceil_div(n1_, block()); }

  LaneRequest row_request(const AxisRecipe& recipe, const AxisProblem& problem, int groups) const {
    return {.recipe = recipe.lane[1],
            .isa = recipe.isa,
            .direction = problem.direction,
            .in = {KernelLayout::tile, 2, middle_row_, lanes_ * middle_row_},
            .out = {out_lane_ == 2 ? KernelLayout::unit : KernelLayout::strided, n1_ * out_lane_,
                    out_lane_, lanes_ * out_lane_},
            .groups = groups,
            .scale = problem.scale};
  }

  /// As row_request(), but into planar rows that ops_.stream writes out.
  LaneRequest stream_request(const AxisRecipe& recipe, const AxisProblem& problem) const {
    LaneRequest request = row_request(recipe, problem, recipe.groups);
    request.out = {KernelLayout::planar, 2 * lanes_, 1, 2 * lanes_ * n2_};
    request.scale = 1.0;
    return request;
  }
  Index stream_rows() const { return stream_ ? block() * 2 * n2_ : 0; }
  /// The plan whose first pass runs ahead.
  const LanePlan<Real>& ahead() const { return stream_ ? *streamed_ : rows_; }

  /// Whole blocks one after another: while one is computed, the next is read.
  void run_rows(Index begin, Index end, const Real* middle, Real* out, Real* work) const {
    const Index whole = std::min(end, n1_ / block());
    const auto rows_at = [&](Index b) { return middle + b * block() * middle_row_; };
    const auto out_at = [&](Index b) { return out + b * block() * out_lane_; };
    Real* current = work + stream_rows();
    Real* next = current + ahead().scratch_reals();
    for (Index b = begin; b < whole; ++b) {
      Real* to = stream_ ? work : out_at(b);
      if (ahead().is_pipelined()) {
        if (b == begin) ahead().start(rows_at(b), current);
        ahead().finish(to, current, b + 1 < whole ? rows_at(b + 1) : nullptr, next);
        std::swap(current, next);
      } else {
        ahead().execute(rows_at(b), to, current);
      }
      if (stream_)
        ops_.stream(work, 2 * lanes_ * n2_, groups_, n2_, scale_, out_at(b), n1_ * out_lane_);
    }
    if (end <= whole || begin == end) return;
    for (Index k = whole * block(); k < n1_; k += lanes_) {
      const Index at = std::min(k, n1_ - lanes_);
      last_rows_.execute(middle + at * middle_row_, out + at * out_lane_, work);
    }
  }

  LoopIndex loops_;
  Index lanes_, n1_, n2_, in_lane_, out_lane_, middle_row_;
  bool together_;
  TwiddledColumns<Real> columns_;
  bool stream_;  ///< both passes store past the caches
  LanePlan<Real> rows_, last_rows_;
  std::optional<LanePlan<Real>> streamed_;
  int groups_;
  const LaneOps<Real>& ops_;
  double scale_;
  Index middle_reals_ = 0;
};

}  // namespace

template <class Real>
EnginePtr<Real> make_large_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  return std::make_unique<LargeEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_large_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_large_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
