// SPDX-License-Identifier: BSD-3-Clause
// Real transforms one line at a time. Even n: a complex line of half the length and one sweep that
// combines (or separates) its mirror images. Odd n: a complex line of full length.
#include <optional>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/roots.hpp"
#include "local/axis/engines.hpp"
#include "local/lane/lane_ops.hpp"
#include "local/lane/mirror_tables.hpp"

namespace weft::local {
namespace {

template <class Real>
class RealByComplexEngine final : public AxisEngine<Real> {
 public:
  RealByComplexEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : problem_(problem),
        loops_(problem.loops),
        ops_(lane_ops<Real>(recipe.isa)),
        even_(problem.n % 2 == 0),
        direct_(even_ && (problem.kind == Kind::r2c ? problem.in_row : problem.out_row) == 1),
        length_(problem.complex_length()),
        mirror_(even_ && complex_row() == 2
                    ? std::make_optional<MirrorTable<Real>>(problem.n, problem.kind, problem.scale)
                    : std::nullopt),
        together_(recipe.together),
        inner_(make_axis_engine<Real>(recipe, inner_problem())),
        line_reals_(mirror_ && direct_ ? 0 : round_up(2 * (length_ + 1), 64)),
        roots_(even_ && !mirror_ ? length_ + 2 : 0) {
    if (even_ && !mirror_) {
      const RootPowers<long double> roots(problem.n);
      for (Index k = 0; 4 * k <= problem.n; ++k) {
        const auto w = roots(k);
        roots_[2 * k] = static_cast<Real>(w.real());
        roots_[2 * k + 1] = static_cast<Real>(w.imag());
      }
    }
    this->task_reals_ = line_reals_ + inner_->task_reals();
    this->shared_reals_ = together_ ? inner_->shared_reals() : 0;
  }

  int phases() const override {
    return together_ ? static_cast<int>(loops_.count()) * phases_of_line() : 1;
  }
  Index units(int phase) const override {
    if (!together_) return loops_.count();
    const int inner = inner_phase(phase);
    return is_inner(inner) ? inner_->units(inner) : mirror_->blocks();
  }

  void run(int phase, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    if (together_) return run_part(phase, begin, end, in, out, scratch);
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = loops_(unit);
      const Real* x = static_cast<const Real*>(in) + at.in;
      Real* y = static_cast<Real*>(out) + at.out;
      const Scratch<Real> inner{scratch.task + line_reals_, nullptr};
      if (problem_.kind == Kind::r2c)
        forward(x, y, scratch.task, inner);
      else
        backward(x, y, scratch.task, inner);
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

  // All threads on one line: its complex transform, then or before that its mirror images.
  int phases_of_line() const { return inner_->phases() + 1; }
  int inner_phase(int phase) const {
    return phase % phases_of_line() - (problem_.kind == Kind::r2c ? 0 : 1);
  }
  bool is_inner(int inner) const { return inner >= 0 && inner < inner_->phases(); }
  void run_part(int phase, Index begin, Index end, const void* in, void* out,
                const Scratch<Real>& scratch) const {
    const auto at = loops_(phase / phases_of_line());
    const Real* x = static_cast<const Real*>(in) + at.in;
    Real* y = static_cast<Real*>(out) + at.out;
    const bool forward = problem_.kind == Kind::r2c;
    const int inner = inner_phase(phase);
    if (is_inner(inner))
      inner_->run(inner, begin, end, forward ? x : y, y, scratch);
    else
      ops_.mirror_lines(forward ? y : x, y, mirror_->work(begin, end));
  }

  void forward(const Real* in, Real* out, Real* line, const Scratch<Real>& inner) const {
    const Index n = problem_.n, row = problem_.in_row;
    if (!direct_)
      for (Index j = 0; j < n; ++j) {
        if (even_) {
          line[j] = in[j * row];
        } else {
          line[2 * j] = in[j * row];
          line[2 * j + 1] = Real(0);
        }
      }
    Real* spectrum = mirror_ ? out : line;
    inner_->run_all(direct_ ? in : line, spectrum, inner);
    if (mirror_) return ops_.mirror_lines(out, out, mirror_->work(1, 0, 0));
    if (even_)
      return ops_.line_combine(spectrum, length_, roots_.data(), problem_.scale, out,
                               problem_.out_row);
    const Real scale = static_cast<Real>(problem_.scale);
    for (Index k = 0; k <= n / 2; ++k) {
      out[k * problem_.out_row] = spectrum[2 * k] * scale;
      out[k * problem_.out_row + 1] = spectrum[2 * k + 1] * scale;
    }
  }

  void backward(const Real* in, Real* out, Real* line, const Scratch<Real>& inner) const {
    const Index n = problem_.n, row = problem_.out_row;
    Real* pairs = mirror_ && direct_ ? out : line;
    if (mirror_) {
      ops_.mirror_lines(in, pairs, mirror_->work(1, 0, 0));
    } else if (even_) {
      ops_.line_separate(in, problem_.in_row, length_, roots_.data(), pairs);
    } else {
      pairs[0] = in[0];
      pairs[1] = Real(0);
      for (Index k = 1; k <= n / 2; ++k) {
        pairs[2 * k] = pairs[2 * (n - k)] = in[k * problem_.in_row];
        pairs[2 * k + 1] = in[k * problem_.in_row + 1];
        pairs[2 * (n - k) + 1] = -pairs[2 * k + 1];
      }
    }
    inner_->run_all(pairs, direct_ ? out : line, inner);
    if (direct_) return;
    for (Index j = 0; j < n; ++j) out[j * row] = line[even_ ? j : 2 * j];
  }

  AxisProblem problem_;
  LoopIndex loops_;
  const LaneOps<Real>& ops_;
  bool even_, direct_;  // direct: the real side is read or written as it is, as complex pairs
  Index length_;
  std::optional<MirrorTable<Real>> mirror_;  // contiguous spectra
  bool together_;
  EnginePtr<Real> inner_;
  Index line_reals_;    // of a line between the two, where neither array can hold it
  Buffer<Real> roots_;  // where spectra are not contiguous
};

}  // namespace

bool has_contiguous_real_lines(const AxisProblem& problem) {
  const bool forward = problem.kind == Kind::r2c;
  return problem.n % 2 == 0 && problem.in_row == (forward ? 1 : 2) &&
         problem.out_row == (forward ? 2 : 1);
}

template <class Real>
EnginePtr<Real> make_real_by_complex_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  return std::make_unique<RealByComplexEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_real_by_complex_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_real_by_complex_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
