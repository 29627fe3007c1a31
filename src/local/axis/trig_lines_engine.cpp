// SPDX-License-Identifier: BSD-3-Clause
// Contiguous lines of real-to-real transforms: a step before and a step after a real transform
// (types II and III, halfcomplex and Hartley transforms; type I of the even or odd extension) or a
// complex one of half the length (IV, n even), which may be done by any recipe for such lines. A
// block of lines stays in the first cache throughout.
#include <algorithm>
#include <functional>
#include <iterator>

#include "base/index.hpp"
#include "local/axis/engines.hpp"
#include "local/lane/lane_ops.hpp"
#include "local/lane/trig_tables.hpp"

namespace weft::local {
namespace {

template <class Real>
class TrigLinesEngine final : public AxisEngine<Real> {
 public:
  TrigLinesEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : problem_(problem),
        n_(problem.n),
        type_(trig_type(problem.r2r)),
        sine_(is_sine(problem.r2r)),
        ops_(lane_ops<Real>(isa_of(recipe))),
        line_(problem.loops.empty() ? Loop{} : problem.loops.back()),
        outer_(problem.loops.empty()
                   ? problem.loops
                   : std::vector<Loop>(problem.loops.begin(), problem.loops.end() - 1)),
        line_reals_(round_up(trig_line_problem(problem, {}).n * (type_ == 4 ? 2 : 1) + 2,
                             64 / Index{sizeof(Real)})),
        block_(std::clamp<Index>(block_reals / line_reals_, 1, std::max<Index>(line_.count, 1))),
        blocks_(ceil_div(line_.count, block_)) {
    if (type_ == 4) {
      first_ = input_factors<Real>(n_);
      last_ = output_factors<Real>(n_, problem.scale);
    } else if (type_ == 0) {
      first_ = halfcomplex_factors<Real>(problem.r2r, n_, problem.scale);
    } else if (type_ > 1) {
      first_ = spectrum_factors<Real>(problem.r2r, n_, problem.scale, problem.orthogonalize);
    }
    const AxisProblem inner = trig_line_problem(problem, {block_, line_reals_, line_reals_});
    engine_ = make_axis_engine<Real>(recipe, inner);
    if (block_ > 1) single_ = make_axis_engine<Real>(recipe, trig_line_problem(problem, {1, 0, 0}));
    work_reals_ = engine_->task_reals();
    if (single_) work_reals_ = std::max(work_reals_, single_->task_reals());
    work_reals_ = round_up(work_reals_, 64 / Index{sizeof(Real)});
    this->task_reals_ = 2 * block_ * line_reals_ + work_reals_ + engine_->shared_reals();
    if (line_reals_ <= short_reals) inner_call_ = engine_->as_one_call();
  }

  /// A short line whose inside is one call of a kernel: the steps around it, on the stack.
  KernelCall as_one_call() const override {
    if (outer_.count() * line_.count != 1 || !inner_call_) return {};
    return {.function = &run_short, .twiddles = this, .arguments = {}};
  }

  Index units(int) const override { return outer_.count() * blocks_; }

  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    Real *a = scratch.task, *b = a + block_ * line_reals_, *work = b + block_ * line_reals_;
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = outer_(unit / blocks_);
      const Index first = unit % blocks_ * block_;
      const Index count = std::min(block_, line_.count - first);
      const Real* x = static_cast<const Real*>(in) + at.in + first * line_.in;
      Real* y = static_cast<Real*>(out) + at.out + first * line_.out;
      for (Index i = 0; i < count; ++i) before(x + i * line_.in, a + i * line_reals_);
      const Scratch<Real> inner{work, work + work_reals_};
      if (count == block_)
        engine_->run_all(a, b, inner);
      else
        for (Index i = 0; i < count; ++i)
          single_->run_all(a + i * line_reals_, b + i * line_reals_, inner);
      for (Index i = 0; i < count; ++i) after(b + i * line_reals_, y + i * line_.out);
    }
  }

 private:
  static constexpr Index block_reals = 1024, short_reals = 288;

  static void run_short(const void* in, void* out, const void* engine,
                        const codelet::KernelArguments&) {
    const auto& self = *static_cast<const TrigLinesEngine*>(engine);
    const auto* x = static_cast<const Real*>(in);
    auto* y = static_cast<Real*>(out);
    alignas(64) Real a[short_reals], b[short_reals];
    if (self.problem_.r2r == R2r::hc2r) {
      self.before(x, a);
      return self.inner_call_(a, y);
    }
    if (self.type_ == 0) {
      self.inner_call_(x, b);
    } else {
      self.before(x, a);
      self.inner_call_(a, b);
    }
    self.after(b, y);
  }

  static codelet::Isa isa_of(const AxisRecipe& recipe) {
    return recipe.inner.empty() ? recipe.isa : isa_of(recipe.inner[0]);
  }
  TrigLine<Real> line(const TrigFactors<Real>& factors) const {
    return {n_, factors.cosine.data(), factors.sine.data(), sine_, type_ == 0 ? Real(-1) : Real(1)};
  }
  /// The sign of every other point of a sine transform.
  Real sign() const { return sine_ ? Real(-1) : Real(1); }

  /// The even extension of n points to 2(n-1), the odd one to 2(n+1).
  void extend(const Real* x, Real* v) const {
    if (sine_) {
      v[0] = v[n_ + 1] = 0;
      std::copy_n(x, n_, v + 1);
      std::transform(x, x + n_, std::make_reverse_iterator(v + 2 * n_ + 2), std::negate<Real>());
      return;
    }
    std::copy_n(x, n_, v);
    if (problem_.orthogonalize) {
      v[0] *= std::sqrt(Real(2));
      v[n_ - 1] *= std::sqrt(Real(2));
    }
    std::reverse_copy(x + 1, x + n_ - 1, v + n_);
  }
  /// Of the half spectrum the real parts; for sines the imaginary ones, negated, of the inner
  /// points.
  void take_parts(const Real* spectrum, Real* y) const {
    const Real scale = static_cast<Real>(sine_ ? -problem_.scale : problem_.scale);
    const Real* part = spectrum + (sine_ ? 3 : 0);
    for (Index k = 0; k < n_; ++k) y[k] = part[2 * k] * scale;
    if (sine_ || !problem_.orthogonalize) return;
    y[0] *= std::sqrt(Real(0.5));
    y[n_ - 1] *= std::sqrt(Real(0.5));
  }

  void before(const Real* x, Real* line_in) const {
    if (type_ == 1)
      extend(x, line_in);
    else if (type_ == 0 && problem_.r2r != R2r::hc2r)
      std::copy_n(x, n_, line_in);
    else if (type_ == 2)
      ops_.fold_line(x, n_, sign(), line_in);
    else if (type_ == 3 || type_ == 0)
      ops_.make_spectrum(x, line(first_), line_in);
    else
      ops_.pair_ends(x, line(first_), line_in);
  }
  void after(const Real* line_out, Real* y) const {
    if (type_ == 1)
      take_parts(line_out, y);
    else if (problem_.r2r == R2r::hc2r)
      std::copy_n(line_out, n_, y);
    else if (type_ == 2 || type_ == 0)
      ops_.rotate_spectrum(line_out, line(first_), y);
    else if (type_ == 3)
      ops_.unfold_line(line_out, n_, sign(), y);
    else
      ops_.part_ends(line_out, line(last_), y);
  }

  AxisProblem problem_;
  Index n_;
  int type_;
  bool sine_;
  const LaneOps<Real>& ops_;
  Loop line_;
  LoopIndex outer_;
  Index line_reals_, block_, blocks_, work_reals_ = 0;
  TrigFactors<Real> first_, last_;
  EnginePtr<Real> engine_, single_;
  KernelCall inner_call_;  // all that engine_ does, if one call is enough
};

}  // namespace

AxisProblem trig_line_problem(const AxisProblem& problem, const Loop& lines) {
  AxisProblem inner{.n = problem.n, .in_row = 2, .out_row = 2, .loops = {}};
  if (lines.count > 1) inner.loops = {lines};
  const int type = trig_type(problem.r2r);
  switch (type > 0 ? type : problem.r2r == R2r::hc2r ? 3 : 2) {
    case 1:
      inner.kind = Kind::r2c;
      inner.in_row = 1;
      inner.n = 2 * (is_sine(problem.r2r) ? problem.n + 1 : problem.n - 1);
      break;
    case 2:
      inner.kind = Kind::r2c;
      inner.in_row = 1;
      break;
    case 3:
      inner.kind = Kind::c2r;
      inner.direction = Direction::backward;
      inner.out_row = 1;
      break;
    default: inner.n = problem.n / 2;
  }
  return inner;
}

bool has_trig_lines(const AxisProblem& problem) {
  return problem.kind == Kind::r2r && !problem.is_staged() && problem.in_row == 1 &&
         problem.out_row == 1 && (trig_type(problem.r2r) != 4 || problem.n % 2 == 0);
}

template <class Real>
EnginePtr<Real> make_trig_lines_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  return std::make_unique<TrigLinesEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_trig_lines_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_trig_lines_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
