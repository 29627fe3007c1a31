// SPDX-License-Identifier: BSD-3-Clause
// Long transforms in two passes over memory, n = n1 n2. Phase 1 takes groups of neighbouring
// columns through DFT(n1) and the twiddles into a buffer; phase 2 takes groups of its rows through
// DFT(n2) and stores each as columns of the output. The twiddles come from tables of about sqrt(n)
// entries. Many lines are shared out among threads, a few are worked on by all threads together.
#include <utility>

#include "base/index.hpp"
#include "local/engines.hpp"
#include "local/lane_plan.hpp"
#include "local/twiddle_table.hpp"

namespace weft::local {
namespace {

using codelet::Layout;

/// The tables behind TwiddleBlock, owned.
template <class Real>
class LargeTwiddles {
 public:
  LargeTwiddles(Index n, Index rows, codelet::Isa isa, Precision precision, Direction direction)
      : n_(n) {
    while ((Index{1} << (2 * shift_)) < n) ++shift_;
    const Index low_count = Index{1} << shift_;
    const int lanes = codelet::lanes(isa, precision);
    low_ = Buffer<double>(2 * low_count);
    high_ = Buffer<double>(2 * ceil_div(n, low_count));
    lane_ = Buffer<Real>(rows * 2 * lanes);
    const RootTable roots(n);
    const auto root = [&](Index e) {
      const auto w = roots(e % n);
      return direction == Direction::forward ? w : std::conj(w);
    };
    for (Index e = 0; e < low_count; ++e) put(low_, e, root(e));
    for (Index e = 0; e < n; e += low_count) put(high_, e >> shift_, root(e));
    for (Index k = 0; k < rows; ++k)
      for (int l = 0; l < lanes; ++l) {
        const auto w = root(multiply_mod(k, l, n));
        const Index at = k * 2 * lanes + codelet::planar_slot(isa, precision, l);
        lane_[at] = static_cast<Real>(w.real());
        lane_[at + lanes] = static_cast<Real>(w.imag());
      }
  }
  TwiddleBlock<Real> block() const {
    return {lane_.data(), high_.data(), low_.data(), shift_, (Index{1} << shift_) - 1, n_};
  }

 private:
  static void put(Buffer<double>& table, Index i, std::complex<long double> w) {
    table[2 * i] = static_cast<double>(w.real());
    table[2 * i + 1] = static_cast<double>(w.imag());
  }
  Index n_;
  int shift_ = 0;
  Buffer<double> low_, high_;
  Buffer<Real> lane_;
};

template <class Real>
class LargeEngine final : public AxisEngine<Real> {
 public:
  LargeEngine(const AxisRecipe& recipe, const AxisProblem& problem, int threads)
      : loops_(problem.loops),
        ops_(lane_ops<Real>(recipe.isa)),
        lanes_(codelet::lanes(recipe.isa, precision)),
        n1_(recipe.lane[0].n),
        n2_(recipe.lane[1].n),
        in_lane_(problem.in_row),
        out_lane_(problem.out_row),
        middle_row_(2 * n2_ +
                    2 * 64 /
                        Index{sizeof(Real)}),  // rows apart by two lines more than a power of two
        together_(loops_.count() < threads),
        columns_(column_request(recipe, problem)),
        rows_(row_request(recipe, problem, recipe.groups)),
        last_rows_(row_request(recipe, problem, 1)),
        groups_(recipe.groups),
        twiddles_(n1_ * n2_, n1_, recipe.isa, precision, problem.direction) {
    const Index line = 64 / Index{sizeof(Real)};
    column_reals_ = round_up(groups_ * 2 * lanes_ * n1_, line);
    middle_reals_ = round_up(n1_ * middle_row_, line);
    const Index work = std::max({column_reals_ + 2 * columns_.scratch_reals(),
                                 rows_.scratch_reals(), last_rows_.scratch_reals()});
    this->task_reals_ = work + (together_ ? 0 : middle_reals_);
    this->shared_reals_ = together_ ? middle_reals_ : 0;
  }

  int phases() const override { return together_ ? static_cast<int>(2 * loops_.count()) : 1; }
  Index units(int phase) const override {
    if (!together_) return loops_.count();
    return phase % 2 == 0 ? column_blocks() : row_blocks();
  }

  void run(int phase, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    const Real* x = static_cast<const Real*>(in);
    Real* y = static_cast<Real*>(out);
    if (together_) {
      const auto at = loops_(phase / 2);
      if (phase % 2 == 0)
        run_columns(begin, end, x + at.in, scratch.shared, scratch.task);
      else
        run_rows(begin, end, scratch.shared, y + at.out, scratch.task);
      return;
    }
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = loops_(unit);
      Real* work = scratch.task + middle_reals_;
      run_columns(0, column_blocks(), x + at.in, scratch.task, work);
      run_rows(0, row_blocks(), scratch.task, y + at.out, work);
    }
  }

 private:
  static constexpr Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;

  Index block() const { return lanes_ * groups_; }
  Index column_blocks() const { return ceil_div(n2_, block()); }
  Index row_blocks() const { return ceil_div(n1_, block()); }

  LaneRequest column_request(const AxisRecipe& recipe, const AxisProblem& problem) const {
    return {.recipe = recipe.lane[0],
            .isa = recipe.isa,
            .direction = problem.direction,
            .in = {in_lane_ == 2 ? Layout::unit : Layout::strided, n2_ * in_lane_, in_lane_,
                   lanes_ * in_lane_},
            .out = {Layout::planar, 2 * lanes_, 1, 2 * lanes_ * n1_},
            .groups = recipe.groups};
  }
  LaneRequest row_request(const AxisRecipe& recipe, const AxisProblem& problem, int groups) const {
    return {.recipe = recipe.lane[1],
            .isa = recipe.isa,
            .direction = problem.direction,
            .in = {Layout::tile, 2, middle_row_, lanes_ * middle_row_},
            .out = {out_lane_ == 2 ? Layout::unit : Layout::strided, n1_ * out_lane_, out_lane_,
                    lanes_ * out_lane_},
            .groups = groups,
            .scale = problem.scale};
  }

  /// The last block starts early, so that all of its columns exist; the values are the same.
  Index first_column(Index block_number) const {
    return std::max<Index>(0, std::min(block_number * block(), n2_ - block()));
  }
  void run_columns(Index begin, Index end, const Real* in, Real* middle, Real* work) const {
    const bool pipelined = in_lane_ == 2 && columns_.is_pipelined();
    Real* current = work + column_reals_;
    Real* next = current + columns_.scratch_reals();
    const TwiddleBlock<Real> twiddles = twiddles_.block();
    for (Index b = begin; b < end; ++b) {
      const Index j2 = first_column(b);
      if (pipelined) {  // the next block is read while this one is computed
        if (b == begin) columns_.start(in + j2 * in_lane_, current);
        const Real* coming = b + 1 < end ? in + first_column(b + 1) * in_lane_ : nullptr;
        columns_.finish(work, current, coming, next);
        std::swap(current, next);
      } else {
        columns_.execute(in + j2 * in_lane_, work, current);
      }
      for (int g = 0; g < groups_; ++g)
        ops_.twiddle_store(work + g * 2 * lanes_ * n1_, n1_, twiddles, j2 + g * lanes_,
                           middle + 2 * (j2 + g * lanes_), middle_row_);
    }
  }
  void run_rows(Index begin, Index end, const Real* middle, Real* out, Real* work) const {
    for (Index b = begin; b < end; ++b) {
      const Index k1 = b * block(), count = std::min(block(), n1_ - k1);
      if (count == block()) {
        rows_.execute(middle + k1 * middle_row_, out + k1 * out_lane_, work);
        continue;
      }
      for (Index k = k1; k < n1_; k += lanes_) {
        const Index at = std::min(k, n1_ - lanes_);
        last_rows_.execute(middle + at * middle_row_, out + at * out_lane_, work);
      }
    }
  }

  LoopIndex loops_;
  const LaneOps<Real>& ops_;
  Index lanes_, n1_, n2_, in_lane_, out_lane_, middle_row_;
  bool together_;
  LanePlan<Real> columns_, rows_, last_rows_;
  int groups_;
  LargeTwiddles<Real> twiddles_;
  Index column_reals_ = 0, middle_reals_ = 0;
};

}  // namespace

template <class Real>
EnginePtr<Real> make_large_engine(const AxisRecipe& recipe, const AxisProblem& problem,
                                  int threads) {
  AxisRecipe fitting = recipe;  // a block of columns must exist
  const Index lanes =
      codelet::lanes(recipe.isa, sizeof(Real) == 8 ? Precision::f64 : Precision::f32);
  while (fitting.groups > 1 && fitting.groups * lanes > recipe.lane[1].n) --fitting.groups;
  return std::make_unique<LargeEngine<Real>>(fitting, problem, threads);
}
template EnginePtr<float> make_large_engine(const AxisRecipe&, const AxisProblem&, int);
template EnginePtr<double> make_large_engine(const AxisRecipe&, const AxisProblem&, int);

}  // namespace weft::local
