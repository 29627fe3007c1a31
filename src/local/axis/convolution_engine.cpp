// SPDX-License-Identifier: BSD-3-Clause
// One transform at a time by convolution, for lengths with a large prime factor where there are no
// neighbours to fill the lanes with: Rader (prime n) and Bluestein (any n) over a contiguous line
// that an inner engine transforms forward and backward.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/roots.hpp"
#include "local/axis/engines.hpp"
#include "local/lane/lane_ops.hpp"
#include "local/lane/lane_tables.hpp"

namespace weft::local {
namespace {

AxisProblem line(Index m, Direction direction) {
  return {.n = m, .in_row = 2, .out_row = 2, .loops = {}, .direction = direction};
}

/// DFT of the convolution's fixed sequence divided by its length, in f64 by the inner recipe
/// itself.
template <class Real>
Buffer<Real> line_spectrum(Buffer<double> sequence, const AxisRecipe& inner, bool conjugated) {
  const auto engine = make_axis_engine<double>(inner, line(inner.n, Direction::forward));
  Buffer<double> scratch(engine->task_reals());
  engine->run_all(sequence.data(), sequence.data(), {scratch.data(), nullptr});
  Buffer<Real> spectrum(2 * inner.n);
  const auto n = static_cast<double>(inner.n), sign = conjugated ? -n : n;
  for (Index i = 0; i < inner.n; ++i) {
    spectrum[2 * i] = static_cast<Real>(sequence[2 * i] / n);
    spectrum[2 * i + 1] = static_cast<Real>(sequence[2 * i + 1] / sign);
  }
  return spectrum;
}

template <class Real>
class ConvolutionEngine final : public AxisEngine<Real> {
 public:
  ConvolutionEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : loops_(problem.loops),
        n_(recipe.n),
        m_(recipe.inner[0].n),
        in_row_(problem.in_row),
        out_row_(problem.out_row),
        scale_(static_cast<Real>(problem.scale)),
        ops_(lane_ops<Real>(recipe.inner[0].isa)),
        forward_(make_axis_engine<Real>(recipe.inner[0], line(m_, Direction::forward))),
        backward_(make_axis_engine<Real>(recipe.inner[0], line(m_, Direction::backward))),
        line_reals_(round_up(2 * m_, 64)) {
    if (recipe.type == AxisRecipe::Type::rader)
      use_rader(recipe, problem.direction);
    else
      use_bluestein(recipe, problem.direction);
    this->task_reals_ = 2 * line_reals_ + std::max(forward_->task_reals(), backward_->task_reals());
    this->shared_reals_ = 0;
  }

  Index units(int) const override { return loops_.count(); }
  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = loops_(unit);
      const Real* x = static_cast<const Real*>(in) + at.in;
      Real* y = static_cast<Real*>(out) + at.out;
      if (input_.empty())
        bluestein(x, y, scratch.task);
      else
        rader(x, y, scratch.task);
    }
  }

 private:
  void use_rader(const AxisRecipe& recipe, Direction direction) {
    Buffer<double> sequence(2 * m_);
    const RootPowers<long double> roots(n_);
    walk_generator(n_, [&](Index q, Index up, Index down) {
      input_.push_back(up * in_row_);
      output_.push_back((direction == Direction::forward ? down : n_ - down) * out_row_);
      const auto w = roots(down);
      sequence[2 * q] = static_cast<double>(w.real());
      sequence[2 * q + 1] = static_cast<double>(w.imag());
    });
    spectrum_ = line_spectrum<Real>(std::move(sequence), recipe.inner[0], false);
  }
  void use_bluestein(const AxisRecipe& recipe, Direction direction) {
    const bool backward = direction == Direction::backward;
    Buffer<double> sequence(2 * m_);
    std::fill_n(sequence.data(), 2 * m_, 0.0);
    chirp_ = Buffer<Real>(2 * n_);
    walk_chirp(n_, [&](Index j, const LongComplex& c) {
      chirp_[2 * j] = static_cast<Real>(c.real());
      chirp_[2 * j + 1] = static_cast<Real>(backward ? -c.imag() : c.imag());
      for (Index i : {j, j == 0 ? 0 : m_ - j}) {
        sequence[2 * i] = static_cast<double>(c.real());
        sequence[2 * i + 1] = static_cast<double>(-c.imag());
      }
    });
    spectrum_ = line_spectrum<Real>(std::move(sequence), recipe.inner[0], backward);
  }

  void rader(const Real* in, Real* out, Real* scratch) const {
    Real *a = scratch, *b = scratch + line_reals_;
    const Scratch<Real> inner{scratch + 2 * line_reals_, nullptr};
    const Real re = in[0], im = in[1];
    for (Index q = 0; q < m_; ++q) {
      const Real* x = in + input_[static_cast<std::size_t>(q)];
      a[2 * q] = x[0];
      a[2 * q + 1] = x[1];
    }
    forward_->run_all(a, b, inner);
    const Real sum_re = re + b[0], sum_im = im + b[1];
    ops_.multiply_line(b, spectrum_.data(), m_, 1, b);
    b[0] += re;
    b[1] += im;
    backward_->run_all(b, a, inner);
    out[0] = sum_re * scale_;
    out[1] = sum_im * scale_;
    for (Index q = 0; q < m_; ++q) {
      Real* y = out + output_[static_cast<std::size_t>(q)];
      y[0] = a[2 * q] * scale_;
      y[1] = a[2 * q + 1] * scale_;
    }
  }

  void bluestein(const Real* in, Real* out, Real* scratch) const {
    Real *a = scratch, *b = scratch + line_reals_;
    const Scratch<Real> inner{scratch + 2 * line_reals_, nullptr};
    if (in_row_ != 2)
      for (Index j = 0; j < n_; ++j) {
        a[2 * j] = in[j * in_row_];
        a[2 * j + 1] = in[j * in_row_ + 1];
      }
    ops_.multiply_line(in_row_ == 2 ? in : a, chirp_.data(), n_, 1, a);
    std::memset(a + 2 * n_, 0, static_cast<std::size_t>(2 * (m_ - n_)) * sizeof(Real));
    forward_->run_all(a, b, inner);
    ops_.multiply_line(b, spectrum_.data(), m_, 1, b);
    backward_->run_all(b, a, inner);
    Real* result = out_row_ == 2 ? out : a;
    ops_.multiply_line(a, chirp_.data(), n_, scale_, result);
    if (out_row_ != 2)
      for (Index k = 0; k < n_; ++k) {
        out[k * out_row_] = a[2 * k];
        out[k * out_row_ + 1] = a[2 * k + 1];
      }
  }

  LoopIndex loops_;
  Index n_, m_, in_row_, out_row_;
  Real scale_;
  const LaneOps<Real>& ops_;
  EnginePtr<Real> forward_, backward_;
  Index line_reals_;
  std::vector<Index> input_, output_;
  Buffer<Real> chirp_, spectrum_;
};

}  // namespace

template <class Real>
EnginePtr<Real> make_convolution_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  return std::make_unique<ConvolutionEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_convolution_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_convolution_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
