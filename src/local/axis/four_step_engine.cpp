// SPDX-License-Identifier: BSD-3-Clause
// One transform at a time, n = n1 n2, in cache. Lanes run over the n2 columns (DFT(n1), stored
// interleaved into scratch), then over the n1 rows: one kernel of length n2 multiplies by w_n^(k1
// j2) as it loads and stores column k1 of the output. Where n1 or n2 is not a multiple of V, the
// last group of lanes overlaps the one before it and computes the same values again. Where n2 is
// less than V, the columns take one group whose last lanes compute what nobody reads, from the
// points that follow each row: of the last row these are points of the next line, or of a copy with
// zeros after it. Recipes that read ahead fetch the line after the one they compute, a part of it
// before each call.
#include <algorithm>

#include "base/index.hpp"
#include "base/prefetch.hpp"
#include "base/roots.hpp"
#include "local/axis/engines.hpp"
#include "local/lane/lane_plan.hpp"

namespace weft::local {
namespace {

using codelet::KernelLayout;

template <class Real>
class FourStepEngine final : public AxisEngine<Real> {
 public:
  FourStepEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : loops_(problem.loops),
        lanes_(codelet::lanes(recipe.isa, precision)),
        n1_(recipe.lane[0].n),
        n2_(recipe.lane[1].n),
        is_narrow_(n2_ < lanes_),
        middle_row_(is_narrow_ ? 2 * lanes_ : 2 * n2_ + padding()),
        in_lane_(problem.in_row),
        out_lane_(problem.out_row),
        next_(recipe.ahead ? problem.loops.back().in : 0),
        column_groups_(
            recipe.lane[0].radices.size() == 1 && !is_narrow_ ? static_cast<int>(n2_ / lanes_) : 1),
        columns_(column_request(recipe, problem, column_groups_)),
        one_column_group_(column_request(recipe, problem, 1)),
        rows_(row_request(recipe, problem, static_cast<int>(n1_ / lanes_))),
        last_rows_(row_request(recipe, problem, 1)),
        twiddles_(make_twiddles(recipe.isa, problem.direction)) {
    const Index plans = std::max({columns_.scratch_reals(), one_column_group_.scratch_reals(),
                                  rows_.scratch_reals(), last_rows_.scratch_reals()});
    const Index copy = is_narrow_ ? round_up(2 * (n1_ * n2_ + lanes_), 64) : 0;
    this->task_reals_ = round_up(n1_ * middle_row_, 64) + round_up(plans, 64) + copy;
    copy_at_ = this->task_reals_ - copy;
  }

  Index units(int) const override { return loops_.count(); }

  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = loops_(unit);
      const Real* from = static_cast<const Real*>(in) + at.in;
      if (is_narrow_ && (unit + 1 == end || loops_(unit + 1).in != at.in + 2 * n1_ * n2_))
        from = copy_of(from, scratch.task + copy_at_);
      line(from, static_cast<Real*>(out) + at.out, scratch.task);
    }
  }

 private:
  static constexpr Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;

  /// One cache line between rows of a power-of-two length, so that the rows of a tile do not share
  /// a set.
  Index padding() const {
    return 2 * n2_ * Index{sizeof(Real)} % 256 == 0 ? 64 / Index{sizeof(Real)} : 0;
  }
  LaneRequest column_request(const AxisRecipe& recipe, const AxisProblem& problem,
                             int groups) const {
    return {.recipe = recipe.lane[0],
            .isa = recipe.isa,
            .direction = problem.direction,
            .in = {in_lane_ == 2 ? KernelLayout::unit : KernelLayout::strided, n2_ * in_lane_,
                   in_lane_, lanes_ * in_lane_},
            .out = {KernelLayout::unit, middle_row_, 2, 2 * lanes_},
            .groups = groups};
  }
  LaneRequest row_request(const AxisRecipe& recipe, const AxisProblem& problem, int groups) const {
    return {.recipe = recipe.lane[1],
            .isa = recipe.isa,
            .direction = problem.direction,
            .in = {KernelLayout::tile, 2, middle_row_, lanes_ * middle_row_},
            .out = {out_lane_ == 2 ? KernelLayout::unit : KernelLayout::strided, n1_ * out_lane_,
                    out_lane_, lanes_ * out_lane_},
            .groups = groups,
            .scale = problem.scale,
            .lane_twiddles = true};
  }

  /// Per group of V rows k1: factors w_n^(k1 j2) for j2 = 1 .. n2-1, in register order; then those
  /// of the overlapping last group.
  Buffer<Real> make_twiddles(codelet::Isa isa, Direction direction) const {
    const Index group = 2 * lanes_ * (n2_ - 1), groups = ceil_div(n1_, lanes_);
    Buffer<Real> table(groups * group);
    const RootPowers<long double> roots(n1_ * n2_);
    for (Index g = 0; g < groups; ++g)
      for (int lane = 0; lane < lanes_; ++lane) {
        const Index k1 = std::min(g * lanes_, n1_ - lanes_) + lane;
        Real* slot = table.data() + g * group + codelet::planar_slot(isa, precision, lane);
        for (Index j2 = 1; j2 < n2_; ++j2, slot += 2 * lanes_) {
          const auto w = roots(k1 * j2);
          slot[0] = static_cast<Real>(w.real());
          slot[lanes_] = static_cast<Real>(direction == Direction::forward ? w.imag() : -w.imag());
        }
      }
    return table;
  }

  /// A line with zeros after it.
  const Real* copy_of(const Real* in, Real* copy) const {
    Real* end = std::copy_n(in, 2 * n1_ * n2_, copy);
    std::fill_n(end, 2 * (lanes_ - n2_), Real{0});
    return copy;
  }

  void line(const Real* in, Real* out, Real* scratch) const {
    Real* middle = scratch;
    Real* work = scratch + round_up(n1_ * middle_row_, 64);
    Index j2 = 0;
    for (; j2 + lanes_ * column_groups_ <= n2_; j2 += lanes_ * column_groups_) {
      fetch(in, j2, lanes_ * column_groups_);
      columns_.execute(in + j2 * in_lane_, middle + 2 * j2, work);
    }
    for (; j2 < n2_; j2 += lanes_) {
      fetch(in, j2, lanes_);
      const Index at = is_narrow_ ? 0 : std::min(j2, n2_ - lanes_);
      one_column_group_.execute(in + at * in_lane_, middle + 2 * at, work);
    }
    fetch(in, n2_, n2_);
    rows_.execute(middle, out, work, twiddles_.data());
    if (n1_ % lanes_ != 0) {
      const Index k1 = n1_ - lanes_, group = 2 * lanes_ * (n2_ - 1);
      last_rows_.execute(middle + k1 * middle_row_, out + k1 * out_lane_, work,
                         twiddles_.data() + n1_ / lanes_ * group);
    }
  }

  /// Of the next line, the part that belongs to columns [first, first + count); the rows count as
  /// n2 columns more.
  void fetch(const Real* in, Index first, Index count) const {
    if (next_ == 0) return;
    const Index points = n1_ * n2_;
    const Index begin = points * first / (2 * n2_),
                end = std::min(points, points * (first + count) / (2 * n2_));
    const auto* line = reinterpret_cast<const char*>(in + next_);
    for (Index at = begin * 2 * Index{sizeof(Real)}; at < end * 2 * Index{sizeof(Real)}; at += 64)
      prefetch(line + at);
  }

  LoopIndex loops_;
  Index lanes_, n1_, n2_;
  bool is_narrow_;
  Index middle_row_, in_lane_, out_lane_;
  Index copy_at_ = 0;
  Index next_;  // from line to line where lines are fetched ahead, else 0
  int column_groups_;
  LanePlan<Real> columns_, one_column_group_, rows_, last_rows_;
  Buffer<Real> twiddles_;
};

}  // namespace

template <class Real>
EnginePtr<Real> make_four_step_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  return std::make_unique<FourStepEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_four_step_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_four_step_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
