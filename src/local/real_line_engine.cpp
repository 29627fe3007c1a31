// SPDX-License-Identifier: BSD-3-Clause
// Real transforms one line at a time. Even n: a complex line of half the length and one sweep that
// combines (or separates) its mirror images. Odd n: a complex line of full length.
#include <optional>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/roots.hpp"
#include "local/engines.hpp"
#include "local/lane_ops.hpp"
#include "local/mirror_tables.hpp"

namespace weft::local {
namespace {

template <class Real>
class RealLineEngine final : public AxisEngine<Real> {
 public:
  RealLineEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : problem_(problem),
        loops_(problem.loops),
        ops_(lane_ops<Real>(recipe.isa)),
        even_(problem.n % 2 == 0),
        direct_(even_ && (problem.kind == Kind::r2c ? problem.in_row : problem.out_row) == 1),
        length_(problem.complex_length()),
        inner_(make_axis_engine<Real>(recipe, inner_problem(), 1)),
        line_reals_(round_up(2 * (length_ + 1), 64)),
        mirror_(even_ && complex_row() == 2
                    ? std::make_optional<MirrorTable<Real>>(problem.n, problem.kind, problem.scale)
                    : std::nullopt),
        roots_(even_ && !mirror_ ? length_ + 2 : 0) {
    if (even_ && !mirror_) {
      const RootPowers<long double> roots(problem.n);
      for (Index k = 0; 4 * k <= problem.n; ++k) {
        const auto w = roots(k);
        roots_[2 * k] = static_cast<Real>(w.real());
        roots_[2 * k + 1] = static_cast<Real>(w.imag());
      }
    }
    this->task_reals_ = 2 * line_reals_ + inner_->task_reals();
  }

  Index units(int) const override { return loops_.count(); }
  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = loops_(unit);
      const Real* x = static_cast<const Real*>(in) + at.in;
      Real* y = static_cast<Real*>(out) + at.out;
      Real *a = scratch.task, *b = a + line_reals_;
      const Scratch<Real> inner{b + line_reals_, nullptr};
      if (problem_.kind == Kind::r2c)
        forward(x, y, a, b, inner);
      else
        backward(x, y, a, b, inner);
    }
  }

 private:
  Index complex_row() const {
    return problem_.kind == Kind::r2c ? problem_.out_row : problem_.in_row;
  }
  AxisProblem inner_problem() const {
    return {.n = length_,
            .in_row = 2,
            .out_row = 2,
            .loops = {},
            .direction = problem_.kind == Kind::r2c ? Direction::forward : Direction::backward,
            .scale = problem_.kind == Kind::r2c ? 1.0 : problem_.scale};
  }

  void forward(const Real* in, Real* out, Real* a, Real* b, const Scratch<Real>& inner) const {
    const Index n = problem_.n, row = problem_.in_row;
    const Real* line = in;
    if (!direct_) {
      line = a;
      for (Index j = 0; j < n; ++j) {
        if (even_) {
          a[j] = in[j * row];
        } else {
          a[2 * j] = in[j * row];
          a[2 * j + 1] = Real(0);
        }
      }
    }
    inner_->run_all(line, b, inner);
    if (mirror_) return ops_.mirror_lines(b, out, mirror_->work(1, 0, 0));
    if (even_)
      return ops_.line_combine(b, length_, roots_.data(), problem_.scale, out, problem_.out_row);
    const Real scale = static_cast<Real>(problem_.scale);
    for (Index k = 0; k <= n / 2; ++k) {
      out[k * problem_.out_row] = b[2 * k] * scale;
      out[k * problem_.out_row + 1] = b[2 * k + 1] * scale;
    }
  }

  void backward(const Real* in, Real* out, Real* a, Real* b, const Scratch<Real>& inner) const {
    const Index n = problem_.n, row = problem_.out_row;
    if (mirror_) {
      ops_.mirror_lines(in, a, mirror_->work(1, 0, 0));
    } else if (even_) {
      ops_.line_separate(in, problem_.in_row, length_, roots_.data(), a);
    } else {
      a[0] = in[0];
      a[1] = Real(0);
      for (Index k = 1; k <= n / 2; ++k) {
        a[2 * k] = a[2 * (n - k)] = in[k * problem_.in_row];
        a[2 * k + 1] = in[k * problem_.in_row + 1];
        a[2 * (n - k) + 1] = -a[2 * k + 1];
      }
    }
    inner_->run_all(a, direct_ ? out : b, inner);
    if (direct_) return;
    for (Index j = 0; j < n; ++j) out[j * row] = b[even_ ? j : 2 * j];
  }

  AxisProblem problem_;
  LoopIndex loops_;
  const LaneOps<Real>& ops_;
  bool even_, direct_;  // direct: the real side is read or written as it is, as complex pairs
  Index length_;
  EnginePtr<Real> inner_;
  Index line_reals_;
  std::optional<MirrorTable<Real>> mirror_;  // contiguous spectra
  Buffer<Real> roots_;                       // others
};

/// binary16 lines through a line of f32.
class StagedLineEngine final : public AxisEngine<float> {
 public:
  StagedLineEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : problem_(problem),
        loops_(problem.loops),
        ops_(lane_ops<float>(recipe.isa)),
        in_width_(problem.kind == Kind::r2c || problem.kind == Kind::r2r ? 1 : 2),
        out_width_(problem.kind == Kind::c2r || problem.kind == Kind::r2r ? 1 : 2),
        in_count_(problem.kind == Kind::c2r ? problem.n / 2 + 1 : problem.n),
        out_count_(problem.kind == Kind::r2c ? problem.n / 2 + 1 : problem.n),
        line_reals_(round_up(2 * (problem.n + 2), 64)) {
    AxisProblem inner = problem;
    inner.half = false;
    inner.in_row = in_width_;
    inner.out_row = out_width_;
    inner.loops.clear();
    inner_ = make_axis_engine<float>(recipe, inner, 1);
    task_reals_ = 2 * line_reals_ + inner_->task_reals();
  }
  Index units(int) const override { return loops_.count(); }
  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<float>& scratch) const override {
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = loops_(unit);
      float *a = scratch.task, *b = a + line_reals_;
      ops_.widen_line(static_cast<const Half*>(in) + at.in, problem_.in_row, in_width_, in_count_,
                      a);
      inner_->run_all(a, b, {b + line_reals_, nullptr});
      ops_.narrow_line(b, out_width_, out_count_, static_cast<Half*>(out) + at.out,
                       problem_.out_row);
    }
  }

 private:
  AxisProblem problem_;
  LoopIndex loops_;
  const LaneOps<float>& ops_;
  Index in_width_, out_width_, in_count_, out_count_, line_reals_;
  EnginePtr<float> inner_;
};

}  // namespace

template <class Real>
EnginePtr<Real> make_real_line_engine(const AxisRecipe& recipe, const AxisProblem& problem, int) {
  return std::make_unique<RealLineEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_real_line_engine(const AxisRecipe&, const AxisProblem&, int);
template EnginePtr<double> make_real_line_engine(const AxisRecipe&, const AxisProblem&, int);

EnginePtr<float> make_staged_line_engine(const AxisRecipe& recipe, const AxisProblem& problem,
                                         int) {
  return std::make_unique<StagedLineEngine>(recipe, problem);
}

}  // namespace weft::local
