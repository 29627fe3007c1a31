// SPDX-License-Identifier: BSD-3-Clause
// One transform at a time by convolution, for lengths with a large prime factor where there are no
// neighbours to fill the lanes with: Rader (prime n) and Bluestein (any n) over a contiguous line
// that an inner engine transforms forward and backward.
#include <cstring>

#include "base/index.hpp"
#include "local/engines.hpp"
#include "local/lane_plan.hpp"
#include "local/lane_tables.hpp"

namespace weft::local {
namespace {

AxisProblem line(Index m, Direction direction) {
  return {.n = m, .in_row = 2, .out_row = 2, .loops = {}, .direction = direction};
}

/// DFT of the convolution's fixed sequence over its length, in f64 by the inner recipe itself.
std::vector<LongComplex> line_spectrum(const std::vector<LongComplex>& sequence,
                                       const AxisRecipe& inner) {
  const auto engine = make_axis_engine<double>(inner, line(inner.n, Direction::forward), 1);
  Buffer<double> a(2 * inner.n), scratch(engine->task_reals());
  for (Index i = 0; i < inner.n; ++i) {
    a[2 * i] = static_cast<double>(sequence[static_cast<std::size_t>(i)].real());
    a[2 * i + 1] = static_cast<double>(sequence[static_cast<std::size_t>(i)].imag());
  }
  engine->run_all(a.data(), a.data(), {scratch.data(), nullptr});
  std::vector<LongComplex> result;
  const auto n = static_cast<long double>(inner.n);
  for (Index i = 0; i < inner.n; ++i) result.emplace_back(a[2 * i] / n, a[2 * i + 1] / n);
  return result;
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
        forward_(make_axis_engine<Real>(recipe.inner[0], line(m_, Direction::forward), 1)),
        backward_(make_axis_engine<Real>(recipe.inner[0], line(m_, Direction::backward), 1)),
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
  static Buffer<Real> to_buffer(const std::vector<LongComplex>& values) {
    Buffer<Real> buffer(2 * static_cast<Index>(values.size()));
    Index i = 0;
    for (const auto& v : values) {
      buffer[i++] = static_cast<Real>(v.real());
      buffer[i++] = static_cast<Real>(v.imag());
    }
    return buffer;
  }
  void use_rader(const AxisRecipe& recipe, Direction direction) {
    RaderTables tables = rader_tables(n_);
    for (Index& row : tables.input) row *= in_row_;
    for (Index& row : tables.output)
      row = (direction == Direction::forward ? row : n_ - row) * out_row_;
    input_ = std::move(tables.input);
    output_ = std::move(tables.output);
    spectrum_ = to_buffer(line_spectrum(tables.sequence, recipe.inner[0]));
  }
  void use_bluestein(const AxisRecipe& recipe, Direction direction) {
    BluesteinTables tables = bluestein_tables(n_, m_);
    std::vector<LongComplex> spectrum = line_spectrum(tables.sequence, recipe.inner[0]);
    if (direction == Direction::backward) {
      conjugate(tables.chirp);
      conjugate(spectrum);
    }
    chirp_ = to_buffer(tables.chirp);
    spectrum_ = to_buffer(spectrum);
  }

  static void multiply(Real* __restrict x, const Real* __restrict w, Index count) {
    for (Index i = 0; i < count; ++i) {
      const Real re = x[2 * i] * w[2 * i] - x[2 * i + 1] * w[2 * i + 1];
      x[2 * i + 1] = x[2 * i] * w[2 * i + 1] + x[2 * i + 1] * w[2 * i];
      x[2 * i] = re;
    }
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
    multiply(b, spectrum_.data(), m_);
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
    for (Index j = 0; j < n_; ++j) {
      a[2 * j] = in[j * in_row_];
      a[2 * j + 1] = in[j * in_row_ + 1];
    }
    multiply(a, chirp_.data(), n_);
    std::memset(a + 2 * n_, 0, static_cast<std::size_t>(2 * (m_ - n_)) * sizeof(Real));
    forward_->run_all(a, b, inner);
    multiply(b, spectrum_.data(), m_);
    backward_->run_all(b, a, inner);
    multiply(a, chirp_.data(), n_);
    for (Index k = 0; k < n_; ++k) {
      out[k * out_row_] = a[2 * k] * scale_;
      out[k * out_row_ + 1] = a[2 * k + 1] * scale_;
    }
  }

  LoopIndex loops_;
  Index n_, m_, in_row_, out_row_;
  Real scale_;
  EnginePtr<Real> forward_, backward_;
  Index line_reals_;
  std::vector<Index> input_, output_;
  Buffer<Real> chirp_, spectrum_;
};

}  // namespace

template <class Real>
EnginePtr<Real> make_convolution_engine(const AxisRecipe& recipe, const AxisProblem& problem, int) {
  return std::make_unique<ConvolutionEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_convolution_engine(const AxisRecipe&, const AxisProblem&, int);
template EnginePtr<double> make_convolution_engine(const AxisRecipe&, const AxisProblem&, int);

}  // namespace weft::local
