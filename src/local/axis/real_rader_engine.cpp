// SPDX-License-Identifier: BSD-3-Clause
// Real lines of odd prime length n, one at a time, by Rader's convolution in real numbers: half the
// work of complex lines. The Hartley transform H[k] = sum x[j] cas(2 pi jk/n), cas = cos + sin, is
// one: with a generator g and r[p] = g^-p mod n it is
//   H[r[p]] = x[0] + sum_q x[g^q] cas(2 pi r[p-q]/n),    H[0] = sum x,
// a cyclic convolution of n - 1 real points; padded where n - 1 has large factors. Real lines r2c
// and c2r of m points do it, by a recipe of m/2 complex ones. A half spectrum and H hold the same
// numbers:
//   X[k] = (H[k] + H[n-k])/2 - i (H[k] - H[n-k])/2,   H[k], H[n-k] = Re X[k] -+ Im X[k],
// and x of X is H of that H. As -1 = g^((n-1)/2), points k and n-k are half a turn apart.
#include <algorithm>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/roots.hpp"
#include "local/axis/engines.hpp"
#include "local/lane/lane_ops.hpp"
#include "local/lane/lane_tables.hpp"

namespace weft::local {
namespace {

template <class Real>
class RealRaderEngine final : public AxisEngine<Real> {
 public:
  RealRaderEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : forward_(problem.kind == Kind::r2c),
        half_((problem.n - 1) / 2),
        m_(2 * recipe.inner[0].n),
        scale_(static_cast<Real>(problem.scale)),
        loops_(problem.loops),
        ops_(lane_ops<Real>(recipe.isa)),
        there_(make_axis_engine<Real>(recipe.inner[0], real_line(m_, Kind::r2c))),
        back_(make_axis_engine<Real>(recipe.inner[0], real_line(m_, Kind::c2r))),
        line_reals_(round_up(m_ + 2, 64)),
        work_reals_(round_up(std::max(there_->task_reals(), back_->task_reals()), 64)) {
    make_tables(recipe, problem);
    this->task_reals_ =
        2 * line_reals_ + work_reals_ + std::max(there_->shared_reals(), back_->shared_reals());
  }

  Index units(int) const override { return loops_.count(); }

  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    Real *a = scratch.task, *b = a + line_reals_, *work = b + line_reals_;
    const Scratch<Real> inner{work, work + work_reals_};
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = loops_(unit);
      const Real* x = static_cast<const Real*>(in) + at.in;
      Real* y = static_cast<Real*>(out) + at.out;
      const Real first = x[0];
      forward_ ? load_points(x, a) : load_spectrum(x, a);
      std::fill(a + 2 * half_, a + m_, Real(0));
      there_->run_all(a, b, inner);
      const Real sum = first + b[0];
      ops_.multiply_line(b, spectrum_.data(), m_ / 2 + 1, Real(1), b);
      b[0] += first;
      back_->run_all(b, a, inner);
      y[0] = sum * scale_;
      forward_ ? store_spectrum(a, y) : store_points(a, y);
    }
  }

 private:
  /// Where a mode k or n-k is in a half spectrum, and whether it is the conjugate one.
  struct Mode {
    Index place;
    Real sign;
  };

  void make_tables(const AxisRecipe& recipe, const AxisProblem& problem) {
    const Index n = problem.n;
    Buffer<double> sequence(m_);
    std::fill_n(sequence.data(), m_, 0.0);
    const RootPowers<long double> roots(n);
    walk_generator(n, [&](Index q, Index up, Index down) {
      const auto w = roots(down);  // exp(-2 pi i down/n)
      const auto cas = static_cast<double>(w.real() - w.imag());
      sequence[q] = cas;
      if (q > 0) sequence[q + m_ - (n - 1)] = cas;  // the points before the first, where padded
      points_.push_back(forward_ ? up * problem.in_row : down * problem.out_row);
      if (q >= half_) return;
      const Index k = forward_ ? down : up;
      const Index row = forward_ ? problem.out_row : problem.in_row;
      modes_.push_back({std::min(k, n - k) * row, k < n - k ? Real(1) : Real(-1)});
    });
    const auto engine = make_axis_engine<double>(recipe.inner[0], real_line(m_, Kind::r2c));
    Buffer<double> line(m_ + 2), scratch(engine->task_reals() + engine->shared_reals());
    engine->run_all(sequence.data(), line.data(),
                    {scratch.data(), scratch.data() + engine->task_reals()});
    spectrum_ = Buffer<Real>(m_ + 2);
    for (Index i = 0; i < m_ + 2; ++i)
      spectrum_[i] = static_cast<Real>(line[i] / static_cast<double>(m_));
  }

  void load_points(const Real* x, Real* a) const {
    for (Index q = 0; q < 2 * half_; ++q) a[q] = x[points_[static_cast<std::size_t>(q)]];
  }
  void store_points(const Real* a, Real* y) const {
    for (Index p = 0; p < 2 * half_; ++p) y[points_[static_cast<std::size_t>(p)]] = a[p] * scale_;
  }
  void load_spectrum(const Real* x, Real* a) const {
    for (Index q = 0; q < half_; ++q) {
      const Mode& mode = modes_[static_cast<std::size_t>(q)];
      const Real re = x[mode.place], im = mode.sign * x[mode.place + 1];
      a[q] = re - im;
      a[q + half_] = re + im;
    }
  }
  void store_spectrum(const Real* a, Real* y) const {
    const Real scale = scale_ / 2;
    y[1] = Real(0);
    for (Index p = 0; p < half_; ++p) {
      const Mode& mode = modes_[static_cast<std::size_t>(p)];
      y[mode.place] = (a[p] + a[p + half_]) * scale;
      y[mode.place + 1] = (a[p + half_] - a[p]) * (mode.sign * scale);
    }
  }

  bool forward_;
  Index half_, m_;
  Real scale_;
  LoopIndex loops_;
  const LaneOps<Real>& ops_;
  EnginePtr<Real> there_, back_;
  Index line_reals_, work_reals_;
  std::vector<Index> points_;
  std::vector<Mode> modes_;
  Buffer<Real> spectrum_;
};

}  // namespace

AxisProblem real_line(Index m, Kind kind) {
  const bool forward = kind == Kind::r2c;
  return {.kind = kind,
          .n = m,
          .in_row = forward ? 1 : 2,
          .out_row = forward ? 2 : 1,
          .loops = {},
          .direction = forward ? Direction::forward : Direction::backward};
}

template <class Real>
EnginePtr<Real> make_real_rader_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  return std::make_unique<RealRaderEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_real_rader_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_real_rader_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
