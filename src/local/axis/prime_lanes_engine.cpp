// SPDX-License-Identifier: BSD-3-Clause
// Real transforms of prime length by lanes, half the work of complex ones: Rader's convolution of
// the Hartley transform is one of real numbers. With g a generator and a[q] = x[g^q] it is
// H[g^-q] = x[0] + (a * b)[q], b[q] = cas(2 pi g^-q / p), cyclic of the even length p - 1 = 2h,
// done by complex transforms of h points. H[k] = Re X[k] - Im X[k] and H[p-k] = Re X[k] + Im X[k],
// where p - k is the place q + h. c2r makes H of the spectrum, and H of that is the real row.
#include <algorithm>
#include <optional>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/roots.hpp"
#include "local/axis/engines.hpp"
#include "local/lane/lane_plan.hpp"
#include "local/lane/lane_tables.hpp"

namespace weft::local {
namespace {

using codelet::KernelLayout;

/// The recipe for half the length, where one of its radices is even.
std::optional<LaneRecipe> halved(const LaneRecipe& recipe) {
  if (recipe.type == LaneRecipe::Type::passes) {
    std::vector<int> radices = recipe.radices;
    const auto even = std::ranges::find_if(radices, [](int radix) { return radix % 2 == 0; });
    if (even == radices.end()) return std::nullopt;
    *even /= 2;
    std::erase(radices, 1);
    return lane_passes(std::move(radices));
  }
  if (recipe.type != LaneRecipe::Type::split) return std::nullopt;
  const int radix = recipe.radices[0];
  if (radix == 2) return recipe.inner[0];
  if (radix % 2 == 0) return lane_split(radix / 2, recipe.inner[0]);
  auto inner = halved(recipe.inner[0]);
  if (!inner) return std::nullopt;
  return lane_split(radix, std::move(*inner));
}

template <class Real>
class PrimeLanesEngine final : public AxisEngine<Real> {
 public:
  PrimeLanesEngine(const AxisRecipe& recipe, const AxisProblem& problem, const LaneRecipe& half)
      : problem_(problem),
        lane_(problem.loops.empty() ? Loop{} : problem.loops.back()),
        outer_(problem.loops.empty()
                   ? problem.loops
                   : std::vector<Loop>(problem.loops.begin(), problem.loops.end() - 1)),
        ops_(lane_ops<Real>(recipe.isa)),
        lanes_(codelet::lanes(recipe.isa, sizeof(Real) == 8 ? Precision::f64 : Precision::f32)),
        h_((problem.n - 1) / 2),
        there_(request(recipe.isa, half, Direction::forward)),
        back_(request(recipe.isa, half, Direction::backward)),
        roots_(h_ + 2),
        spectrum_(2 * (h_ + 1)) {
    make_tables(recipe.lane[0].inner[0]);
    this->task_reals_ =
        row() * (3 * h_ + 4) + std::max(there_.scratch_reals(), back_.scratch_reals());
  }

  Index units(int) const override { return outer_.count() * groups(); }

  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    const Index bytes = problem_.half ? 2 : Index{sizeof(Real)};
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = outer_(unit / groups());
      const Index first = unit % groups() * lanes_;
      const int count = static_cast<int>(std::min<Index>(lanes_, lane_.count - first));
      const char* x = static_cast<const char*>(in) + (at.in + first * lane_.in) * bytes;
      char* y = static_cast<char*>(out) + (at.out + first * lane_.out) * bytes;
      if (problem_.kind == Kind::r2c)
        forward(x, y, count, scratch.task);
      else
        backward(x, y, count, scratch.task);
    }
  }

 private:
  Index row() const { return 2 * lanes_; }
  Index groups() const { return ceil_div(lane_.count, lanes_); }
  LaneRequest request(codelet::Isa isa, const LaneRecipe& half, Direction direction) const {
    const LaneSide planar{KernelLayout::planar, 2 * lanes_, 1, 0};
    return {.recipe = half, .isa = isa, .direction = direction, .in = planar, .out = planar};
  }

  /// Where number q of the convolution lies: even ones are real parts, odd ones imaginary parts.
  Index place(Index q) const { return q / 2 * row() + q % 2 * lanes_; }

  void make_tables(const LaneRecipe& convolution) {
    const Index p = problem_.n;
    const bool is_forward = problem_.kind == Kind::r2c;
    const RaderTables rader = rader_tables(p);
    real_rows_ = is_forward ? rader.input : rader.output;
    const std::vector<Index>& frequencies = is_forward ? rader.output : rader.input;
    places_.resize(static_cast<std::size_t>(2 * h_));
    for (Index q = 0; q < 2 * h_; ++q) {
      const Index k = frequencies[static_cast<std::size_t>(q)];
      if (k > h_) continue;
      places_[static_cast<std::size_t>(2 * (k - 1))] = place(q);
      places_[static_cast<std::size_t>(2 * (k - 1) + 1)] = place((q + h_) % (2 * h_));
    }
    std::vector<LongComplex> sequence;
    for (const LongComplex& w : rader.sequence) sequence.emplace_back(w.real() - w.imag());
    const std::vector<LongComplex> spectrum = spectrum_of(sequence, convolution);
    for (Index k = 0; k <= h_; ++k) {
      spectrum_[2 * k] = static_cast<Real>(spectrum[static_cast<std::size_t>(k)].real());
      spectrum_[2 * k + 1] = static_cast<Real>(spectrum[static_cast<std::size_t>(k)].imag());
    }
    const RootPowers<long double> roots(2 * h_);
    for (Index k = 0; 2 * k <= h_; ++k) {
      const auto w = roots(k);
      roots_[2 * k] = static_cast<Real>(w.real());
      roots_[2 * k + 1] = static_cast<Real>(w.imag());
    }
  }

  /// Rows of a group in scratch.
  struct Rows {
    Real *zero, *sum;  // number 0 of the input; of the output
    Real* numbers;     // of the convolution, h rows
    Real* transform;   // their half spectrum, h + 1 rows
    Real* spectrum;    // the problem's complex side, h + 1 rows
    Real* work;
  };
  Rows rows(Real* scratch) const {
    Rows r{};
    r.zero = scratch;
    r.sum = r.zero + row();
    r.numbers = r.sum + row();
    r.transform = r.numbers + h_ * row();
    r.spectrum = r.transform + (h_ + 1) * row();
    r.work = r.spectrum + (h_ + 1) * row();
    return r;
  }
  RowsRef memory(const char* data, Index row, Index lane, const Index* map = nullptr) const {
    return {const_cast<char*>(data), row, lane, map, false, problem_.half};
  }
  RowsRef planar(Real* data) const { return {.data = data, .row = row(), .planar = true}; }

  void convolve(const Rows& r) const {
    there_.execute(r.numbers, r.numbers, r.work);
    ops_.real_combine(r.numbers, h_, roots_.data(), r.transform);
    ops_.add_row(r.zero, r.transform, r.sum);
    ops_.multiply(r.transform, h_ + 1, spectrum_.data());
    ops_.add_row(r.zero, r.transform, r.transform);  // adds number 0 to every output
    ops_.real_separate(r.transform, h_, roots_.data(), r.numbers);
    back_.execute(r.numbers, r.numbers, r.work);
  }

  void forward(const char* in, char* out, int count, Real* scratch) const {
    Rows r = rows(scratch);
    ops_.load_real(memory(in, problem_.in_row, lane_.in), 0, 1, count, r.zero);
    ops_.load_pairs(memory(in, problem_.in_row, lane_.in, real_rows_.data()), h_, count, r.numbers);
    r.sum = r.spectrum;  // which is X[0]
    convolve(r);
    ops_.from_hartley(r.numbers, places_.data(), h_, r.spectrum + row());
    ops_.move(planar(r.spectrum), memory(out, problem_.out_row, lane_.out), h_ + 1, count, nullptr,
              problem_.scale);
  }

  void backward(const char* in, char* out, int count, Real* scratch) const {
    const Rows r = rows(scratch);
    ops_.move(memory(in, problem_.in_row, lane_.in), planar(r.spectrum), h_ + 1, count, nullptr,
              1.0);
    std::copy_n(r.spectrum, lanes_, r.zero);  // the imaginary part of X[0] counts as zero
    std::fill_n(r.zero + lanes_, lanes_, Real(0));
    ops_.to_hartley(r.spectrum + row(), places_.data(), h_, r.numbers);
    convolve(r);
    ops_.store_real(r.sum, 0, 1, count, problem_.scale, memory(out, problem_.out_row, lane_.out));
    ops_.store_pairs(r.numbers, h_, count, problem_.scale,
                     memory(out, problem_.out_row, lane_.out, real_rows_.data()));
  }

  AxisProblem problem_;
  Loop lane_;
  LoopIndex outer_;
  const LaneOps<Real>& ops_;
  int lanes_;
  Index h_;
  LanePlan<Real> there_, back_;
  Buffer<Real> roots_, spectrum_;
  std::vector<Index> real_rows_;  // in the order of the convolution
  std::vector<Index> places_;     // of H[k] and H[p-k] among its numbers, k = 1 .. h
};

}  // namespace

bool has_real_convolution(const AxisRecipe& lanes) {
  return lanes.lane[0].type == LaneRecipe::Type::rader &&
         halved(lanes.lane[0].inner[0]).has_value();
}

template <class Real>
EnginePtr<Real> make_prime_lanes_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  return std::make_unique<PrimeLanesEngine<Real>>(recipe, problem,
                                                  halved(recipe.lane[0].inner[0]).value());
}
template EnginePtr<float> make_prime_lanes_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_prime_lanes_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
