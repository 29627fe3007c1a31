// SPDX-License-Identifier: BSD-3-Clause
// Contiguous real lines of odd length n = r m, half the work of complex ones. With j = m j1 + j2
// and k = k1 + r k2 a real kernel does DFT(r) over j1 for every j2; its outputs k1 and r - k1 are
// conjugate, so k1 = 0 .. r/2 remain. Each is a complex line of m points: times the twiddles
// w_n^(j2 k1) and through a complex DFT(m), by any recipe for such lines, it gives X[k1 + r k2].
// X[n-k] is the conjugate of X[k]. c2r is the same backwards.
#include <algorithm>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/roots.hpp"
#include "codelet/prime/prime_kernels.hpp"
#include "local/axis/engines.hpp"
#include "local/lane/lane_ops.hpp"

namespace weft::local {
namespace {

using codelet::KernelLayout;

const codelet::CompiledKernel* real_pass_of(const AxisRecipe& recipe, Precision precision,
                                            Kind kind, bool scaled) {
  const bool forward = kind == Kind::r2c;
  return codelet::find_kernel({.isa = recipe.isa,
                               .precision = precision,
                               .radix = recipe.split_radix(),
                               .in = KernelLayout::unit,
                               .out = KernelLayout::unit,
                               .scaled = scaled,
                               .transform = forward ? codelet::KernelTransform::real_forward
                                                    : codelet::KernelTransform::real_backward});
}

template <class Real>
class RealSplitEngine final : public AxisEngine<Real> {
 public:
  RealSplitEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : forward_(problem.kind == Kind::r2c),
        n_(problem.n),
        m_(recipe.inner[0].n),
        r_(recipe.split_radix()),
        lanes_(codelet::lanes(recipe.isa, precision)),
        line_reals_(round_up(2 * m_ + 16, 64 / Index{sizeof(Real)})),
        scale_(static_cast<Real>(problem.scale)),
        ops_(lane_ops<Real>(recipe.isa)),
        loops_(problem.loops),
        pass_(real_pass_of(recipe, precision, problem.kind, !forward_)->function),
        table_(codelet::table_of({.precision = precision, .radix = recipe.split_radix()})),
        twiddles_(make_twiddles()) {
    const AxisProblem line{.n = m_,
                           .in_row = 2,
                           .out_row = 2,
                           .loops = {{lines(), line_reals_, line_reals_}},
                           .direction = problem.direction};
    inner_ = make_axis_engine<Real>(recipe.inner[0], line);
    this->task_reals_ = 2 * lines() * line_reals_ +
                        round_up(inner_->task_reals(), 64 / Index{sizeof(Real)}) +
                        inner_->shared_reals();
  }

  Index units(int) const override { return loops_.count(); }

  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    Real *a = scratch.task, *b = a + lines() * line_reals_, *work = b + lines() * line_reals_;
    const Scratch<Real> inner{work,
                              work + round_up(inner_->task_reals(), 64 / Index{sizeof(Real)})};
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = loops_(unit);
      const Real* x = static_cast<const Real*>(in) + at.in;
      Real* y = static_cast<Real*>(out) + at.out;
      if (forward_) {
        real_pass(x, a);
        twiddle(a);
        inner_->run_all(a, b, inner);
        store_spectrum(b, y);
      } else {
        load_spectrum(x, a);
        inner_->run_all(a, b, inner);
        twiddle(b);
        real_pass(b, y);
      }
    }
  }

 private:
  static constexpr Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;

  Index lines() const { return r_ / 2 + 1; }

  /// w_n^(j2 k1) for k1 = 1 .. r/2, a line each, conjugate on the way back.
  Buffer<Real> make_twiddles() const {
    Buffer<Real> table(2 * m_ * (lines() - 1));
    const RootPowers<long double> roots(n_);
    Real* next = table.data();
    for (Index k1 = 1; k1 < lines(); ++k1)
      for (Index j2 = 0; j2 < m_; ++j2, next += 2) {
        const auto w = roots(j2 * k1);
        next[0] = static_cast<Real>(w.real());
        next[1] = static_cast<Real>(forward_ ? w.imag() : -w.imag());
      }
    return table;
  }
  void twiddle(Real* rows) const {
    for (Index k1 = 1; k1 < lines(); ++k1) {
      Real* line = rows + k1 * line_reals_;
      ops_.multiply_line(line, twiddles_.data() + 2 * m_ * (k1 - 1), m_, Real(1), line);
    }
  }

  /// V columns j2 at a time. The last ones may be among those before: they come out the same.
  void real_pass(const Real* in, Real* out) const {
    codelet::PrimeArguments a;
    a.table = table_;
    (forward_ ? a.in_row : a.out_row) = m_;
    (forward_ ? a.out_row : a.in_row) = line_reals_;
    (forward_ ? a.in_step : a.out_step) = lanes_;
    (forward_ ? a.out_step : a.in_step) = 2 * lanes_;
    a.scale = static_cast<double>(scale_);
    a.count = m_ / lanes_;
    pass_(in, out, nullptr, a);
    const Index left = m_ - lanes_;
    a.count = 1;
    if (m_ % lanes_ != 0)
      pass_(in + (forward_ ? left : 2 * left), out + (forward_ ? 2 * left : left), nullptr, a);
  }

  /// Rows k2 of the spectrum as a matrix have r points: the lines' own, then conjugates of the row
  /// m - 1 - k2 backwards. visit(line k1, place in it, place in the spectrum, sign).
  template <class Visit>
  void walk_spectrum(const Visit& visit) const {
    const Index last = n_ / 2;
    for (Index k2 = 0; k2 * r_ <= last; ++k2) {
      const Index row = k2 * r_, own = std::min(lines(), last - row + 1);
      for (Index k1 = 0; k1 < own; ++k1) visit(k1, k2, row + k1, Real(1));
      const Index end = std::min(r_, last - row + 1);
      for (Index k = lines(); k < end; ++k) visit(r_ - k, m_ - 1 - k2, row + k, Real(-1));
    }
  }
  void store_spectrum(const Real* rows, Real* y) const {
    const Real scale = scale_;
    walk_spectrum([&](Index line, Index at, Index k, Real sign) {
      const Real* from = rows + line * line_reals_ + 2 * at;
      y[2 * k] = from[0] * scale;
      y[2 * k + 1] = from[1] * scale * sign;
    });
    y[1] = 0;
  }
  /// Both X[k] and its conjugate X[n-k] have places; point 0 is real.
  void load_spectrum(const Real* x, Real* rows) const {
    const auto put = [&](Index line, Index at, Real re, Real im) {
      Real* to = rows + line * line_reals_ + 2 * at;
      to[0] = re;
      to[1] = im;
    };
    walk_spectrum([&](Index line, Index at, Index k, Real sign) {
      const Real re = x[2 * k], im = k == 0 ? Real(0) : sign * x[2 * k + 1];
      put(line, at, re, im);
      // Of line 0, X[n-k] is in the same line.
      if (line == 0 && k > 0) put(0, m_ - at, re, -im);
    });
  }

  bool forward_;
  Index n_, m_, r_;
  int lanes_;
  Index line_reals_;
  Real scale_;
  const LaneOps<Real>& ops_;
  LoopIndex loops_;
  codelet::KernelFunction pass_;
  const void* table_;  // of a prime radix
  Buffer<Real> twiddles_;
  EnginePtr<Real> inner_;
};

}  // namespace

bool admits_real_split(const AxisRecipe& recipe, const AxisProblem& problem, Precision precision) {
  const bool forward = problem.kind == Kind::r2c;
  if ((!forward && problem.kind != Kind::c2r) || problem.is_staged() || problem.n % 2 == 0)
    return false;
  if (problem.in_row != (forward ? 1 : 2) || problem.out_row != (forward ? 2 : 1)) return false;
  return recipe.inner[0].n >= codelet::lanes(recipe.isa, precision) &&
         real_pass_of(recipe, precision, problem.kind, !forward) != nullptr;
}

template <class Real>
EnginePtr<Real> make_real_split_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  return std::make_unique<RealSplitEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_real_split_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_real_split_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
