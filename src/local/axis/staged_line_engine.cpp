// SPDX-License-Identifier: BSD-3-Clause
// Lines that are not contiguous numbers of the arithmetic's type: binary16, real and imaginary
// parts apart, fewer points than the transform has. Each is converted to a contiguous line in
// cache, transformed there and converted back.
#include <algorithm>

#include "base/half.hpp"
#include "base/index.hpp"
#include "base/names.hpp"
#include "local/axis/engines.hpp"
#include "local/lane/lane_ops.hpp"

namespace weft::local {
namespace {

template <class Real>
class StagedLineEngine final : public AxisEngine<Real> {
 public:
  StagedLineEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : problem_(problem),
        loops_(problem.loops),
        ops_(lane_ops<Real>(recipe.isa)),
        in_width_(in_width(problem.kind)),
        out_width_(out_width(problem.kind)),
        line_reals_(round_up(2 * (problem.n + 2), 64)) {
    AxisProblem inner = problem;
    inner.half = false;
    inner.in_form = inner.out_form = {};
    inner.in_row = in_width_;
    inner.out_row = out_width_;
    inner.loops.clear();
    inner_ = make_axis_engine<Real>(recipe, inner);
    this->task_reals_ = 2 * line_reals_ + inner_->task_reals();
  }
  Index units(int) const override { return loops_.count(); }
  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = loops_(unit);
      Real *a = scratch.task, *b = a + line_reals_;
      if (problem_.half)
        load(static_cast<const Half*>(in) + at.in, imag(problem_.in_form, scratch.in_imag), a);
      else
        load(static_cast<const Real*>(in) + at.in, imag(problem_.in_form, scratch.in_imag), a);
      inner_->run_all(a, b, {b + line_reals_, nullptr});
      if (problem_.half)
        store(b, static_cast<Half*>(out) + at.out, imag(problem_.out_form, scratch.out_imag));
      else
        store(b, static_cast<Real*>(out) + at.out, imag(problem_.out_form, scratch.out_imag));
    }
  }

 private:
  static Index imag(const RowForm& form, Index apart) { return form.split ? apart : 1; }
  static Real widen(Half number) { return static_cast<Real>(HalfNumber::widen(number)); }
  static Real widen(Real number) { return number; }
  static void narrow(Real number, Half& to) { to = HalfNumber::narrow(static_cast<float>(number)); }
  static void narrow(Real number, Real& to) { to = number; }

  /// Rows of memory from `first` on to as many points of the line.
  template <class Stored>
  void load_rows(const Stored* in, Index imag, Index first, Index count, Real* line) const {
    const Stored* from = in + first * problem_.in_row;
    if constexpr (sizeof(Stored) == 2 && sizeof(Real) == 4)
      if (imag == 1) return ops_.widen_line(from, problem_.in_row, in_width_, count, line);
    for (Index i = 0; i < count; ++i, from += problem_.in_row, line += in_width_) {
      line[0] = widen(from[0]);
      if (in_width_ == 2) line[1] = widen(from[imag]);
    }
  }
  template <class Stored>
  void load(const Stored* in, Index imag, Real* line) const {
    const RowForm& form = problem_.in_form;
    const Index rows = problem_.in_rows(), head = form.head(rows), tail = form.tail();
    load_rows(in, imag, 0, head, line);
    std::fill(line + head * in_width_, line + (rows - tail) * in_width_, Real(0));
    load_rows(in, imag, head, tail, line + (rows - tail) * in_width_);
  }

  template <class Stored>
  void store_rows(const Real* line, Index first, Index count, Stored* out, Index imag) const {
    Stored* to = out + first * problem_.out_row;
    if constexpr (sizeof(Stored) == 2 && sizeof(Real) == 4)
      if (imag == 1) return ops_.narrow_line(line, out_width_, count, to, problem_.out_row);
    for (Index i = 0; i < count; ++i, line += out_width_, to += problem_.out_row) {
      narrow(line[0], to[0]);
      if (out_width_ == 2) narrow(line[1], to[imag]);
    }
  }
  template <class Stored>
  void store(const Real* line, Stored* out, Index imag) const {
    const RowForm& form = problem_.out_form;
    const Index rows = problem_.out_rows(), head = form.head(rows), tail = form.tail();
    store_rows(line, 0, head, out, imag);
    store_rows(line + (rows - tail) * out_width_, head, tail, out, imag);
  }

  AxisProblem problem_;
  LoopIndex loops_;
  const LaneOps<Real>& ops_;
  Index in_width_, out_width_, line_reals_;
  EnginePtr<Real> inner_;
};

}  // namespace

template <class Real>
EnginePtr<Real> make_staged_line_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  return std::make_unique<StagedLineEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_staged_line_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_staged_line_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
