// SPDX-License-Identifier: BSD-3-Clause
// Real transforms of odd length by lanes, n = r m, half the work of complex ones. With j = m j1 +
// j2 and k = k1 + r k2 the first pass is a real DFT(r) over j1 for every j2. Its outputs k1 and r -
// k1 are conjugate, so k1 = 0 .. r/2 remain: each is multiplied by the twiddles w_n^(j2 k1) and
// goes through a complex DFT(m), which gives X[k1 + r k2]. What lies beyond n/2 is the conjugate of
// an output before it. c2r is the same backwards.
#include <algorithm>
#include <optional>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/roots.hpp"
#include "codelet/prime/prime_kernels.hpp"
#include "local/axis/engines.hpp"
#include "local/lane/lane_plan.hpp"

namespace weft::local {
namespace {

using codelet::KernelLayout;
using codelet::KernelTransform;

const codelet::CompiledKernel* real_pass(codelet::Isa isa, Precision precision, int radix,
                                         bool forward, KernelLayout memory, bool scaled) {
  return codelet::find_kernel(
      {.isa = isa,
       .precision = precision,
       .radix = radix,
       .in = forward ? memory : KernelLayout::planar,
       .out = forward ? KernelLayout::planar : memory,
       .scaled = scaled,
       .transform = forward ? KernelTransform::real_forward : KernelTransform::real_backward});
}

bool has_real_radix(codelet::Isa isa, Precision precision, int radix) {
  for (KernelLayout memory : {KernelLayout::unit, KernelLayout::strided})
    for (bool scaled : {false, true})
      if (real_pass(isa, precision, radix, true, memory, false) == nullptr ||
          real_pass(isa, precision, radix, false, memory, scaled) == nullptr)
        return false;
  return true;
}

/// A recipe as a real pass and the complex transforms after it.
struct RealSplit {
  int radix;
  LaneRecipe rest;
};

/// By the largest radix that has real kernels, or a factor of 25; nothing where there is none.
std::optional<RealSplit> real_split(const LaneRecipe& recipe, codelet::Isa isa,
                                    Precision precision) {
  const auto is_real = [&](int radix) { return has_real_radix(isa, precision, radix); };
  if (recipe.type == LaneRecipe::Type::split && is_real(recipe.radices[0]))
    return RealSplit{recipe.radices[0], recipe.inner[0]};
  if (recipe.type != LaneRecipe::Type::passes) return std::nullopt;
  std::vector<int> radices = recipe.radices;
  for (int& radix : radices)
    if (radix == 25 && std::ranges::none_of(radices, is_real)) {
      radix = 5;
      radices.push_back(5);
      break;
    }
  auto best = radices.end();
  for (auto radix = radices.begin(); radix != radices.end(); ++radix)
    if (is_real(*radix) && (best == radices.end() || *radix > *best)) best = radix;
  if (best == radices.end()) return std::nullopt;
  const int radix = *best;
  radices.erase(best);
  return RealSplit{radix, lane_passes(std::move(radices))};
}

template <class Real>
class OddLanesEngine final : public AxisEngine<Real> {
 public:
  OddLanesEngine(const AxisRecipe& recipe, const AxisProblem& problem, const RealSplit& split)
      : problem_(problem),
        forward_(problem.kind == Kind::r2c),
        lane_(problem.loops.empty() ? Loop{} : problem.loops.back()),
        outer_(problem.loops.empty()
                   ? problem.loops
                   : std::vector<Loop>(problem.loops.begin(), problem.loops.end() - 1)),
        ops_(lane_ops<Real>(recipe.isa)),
        lanes_(codelet::lanes(recipe.isa, precision)),
        radix_(split.radix),
        length_(split.rest.n),
        stages_(problem.half || (real_lane() != 1 && recipe.isa == codelet::Isa::avx512 &&
                                 (!forward_ || sizeof(Real) == 4))),
        direct_(pass(recipe.isa,
                     real_lane() == 1 && lanes_ > 1 ? KernelLayout::unit : KernelLayout::strided)),
        staged_(pass(recipe.isa, KernelLayout::unit)),
        table_(codelet::table_of({.precision = precision, .radix = radix_})),
        plan_(request(recipe.isa, split.rest)),
        twiddles_(make_twiddles()) {
    for (Index k = 0; k <= problem.n / 2; ++k) places_.push_back(place(k));
    this->task_reals_ =
        row() * blocks_of_spectrum() * length_ + lanes_ * problem.n + plan_.scratch_reals() + 64;
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
      if (forward_)
        forward(x, y, count, scratch.task);
      else
        backward(x, y, count, scratch.task);
    }
  }

 private:
  static constexpr Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;

  Index row() const { return 2 * lanes_; }
  Index real_lane() const { return forward_ ? lane_.in : lane_.out; }
  Index groups() const { return ceil_div(lane_.count, lanes_); }
  Index blocks_of_spectrum() const { return radix_ / 2 + 1; }
  Real* block(Real* spectrum, Index k1) const { return spectrum + k1 * length_ * row(); }
  /// Rows of block k1 from here on lie beyond the middle of the spectrum.
  Index middle(Index k1) const { return (problem_.n / 2 - k1) / radix_ + 1; }

  /// The row of X[k], k <= n/2, or of its conjugate X[n-k].
  Index place(Index k) const {
    if (k % radix_ > radix_ / 2) k = problem_.n - k;
    return k % radix_ * length_ + k / radix_;
  }

  codelet::KernelFunction pass(codelet::Isa isa, KernelLayout memory) const {
    return real_pass(isa, precision, radix_, forward_, memory, !forward_ && problem_.scale != 1.0)
        ->function;
  }
  LaneRequest request(codelet::Isa isa, const LaneRecipe& rest) const {
    const LaneSide planar{KernelLayout::planar, row(), 1, 0};
    return {.recipe = rest,
            .isa = isa,
            .direction = forward_ ? Direction::forward : Direction::backward,
            .in = planar,
            .out = planar};
  }
  /// w_n^(j2 k1) for k1 = 1 .. r/2, conjugate on the way back.
  Buffer<Real> make_twiddles() const {
    Buffer<Real> table(2 * length_ * (blocks_of_spectrum() - 1));
    const RootPowers<long double> roots(problem_.n);
    Real* next = table.data();
    for (Index k1 = 1; k1 < blocks_of_spectrum(); ++k1)
      for (Index j2 = 0; j2 < length_; ++j2, next += 2) {
        const auto w = roots(j2 * k1);
        next[0] = static_cast<Real>(w.real());
        next[1] = static_cast<Real>(forward_ ? w.imag() : -w.imag());
      }
    return table;
  }
  void twiddle(Real* spectrum) const {
    for (Index k1 = 1; k1 < blocks_of_spectrum(); ++k1)
      ops_.multiply(block(spectrum, k1), length_, twiddles_.data() + 2 * length_ * (k1 - 1));
  }
  void transform(Real* spectrum, Real* work) const {
    for (Index k1 = 0; k1 < blocks_of_spectrum(); ++k1)
      plan_.execute(block(spectrum, k1), block(spectrum, k1), work);
  }
  void conjugate_beyond_middle(Real* spectrum) const {
    for (Index k1 = 1; k1 < blocks_of_spectrum(); ++k1)
      ops_.conjugate(block(spectrum, k1) + middle(k1) * row(), length_ - middle(k1));
  }

  /// The real pass between the spectrum and real rows: in memory, or staged as rows of V reals.
  codelet::PrimeArguments arguments(Index real_row, Index real_lane) const {
    codelet::PrimeArguments a;
    a.table = table_;
    a.count = length_;
    (forward_ ? a.in_row : a.out_row) = length_ * real_row;
    (forward_ ? a.in_lane : a.out_lane) = real_lane;
    (forward_ ? a.in_step : a.out_step) = real_row;
    (forward_ ? a.out_row : a.in_row) = length_ * row();
    (forward_ ? a.out_step : a.in_step) = row();
    a.scale = problem_.scale;
    return a;
  }
  bool is_direct(int count) const { return count == lanes_ && !stages_; }
  RowsRef memory(const char* data, Index row, Index lane) const {
    return {const_cast<char*>(data), row, lane, nullptr, false, problem_.half};
  }
  RowsRef rows_of(Real* spectrum) const {
    return {.data = spectrum, .row = row(), .map = places_.data(), .planar = true};
  }

  void forward(const char* in, char* out, int count, Real* spectrum) const {
    Real* stage = block(spectrum, blocks_of_spectrum());
    Real* work = stage + round_up(lanes_ * problem_.n, 64 / Index{sizeof(Real)});
    if (is_direct(count)) {
      direct_(in, spectrum, nullptr, arguments(problem_.in_row, lane_.in));
    } else {
      ops_.gather_reals(memory(in, problem_.in_row, lane_.in), problem_.n, count, stage);
      staged_(stage, spectrum, nullptr, arguments(lanes_, 1));
    }
    if (length_ > 1) {  // else the real pass is all
      twiddle(spectrum);
      transform(spectrum, work);
      conjugate_beyond_middle(spectrum);
    }
    ops_.move(rows_of(spectrum), memory(out, problem_.out_row, lane_.out), problem_.n / 2 + 1,
              count, nullptr, problem_.scale);
  }

  void backward(const char* in, char* out, int count, Real* spectrum) const {
    Real* stage = block(spectrum, blocks_of_spectrum());
    Real* work = stage + round_up(lanes_ * problem_.n, 64 / Index{sizeof(Real)});
    ops_.move(memory(in, problem_.in_row, lane_.in), rows_of(spectrum), problem_.n / 2 + 1, count,
              nullptr, 1.0);
    if (length_ > 1) {
      ops_.mirror_rows(spectrum, length_);
      conjugate_beyond_middle(spectrum);
      transform(spectrum, work);
      twiddle(spectrum);
    }
    if (is_direct(count)) {
      direct_(spectrum, out, nullptr, arguments(problem_.out_row, lane_.out));
    } else {
      staged_(spectrum, stage, nullptr, arguments(lanes_, 1));
      ops_.scatter_reals(stage, problem_.n, count, memory(out, problem_.out_row, lane_.out));
    }
  }

  AxisProblem problem_;
  bool forward_;
  Loop lane_;
  LoopIndex outer_;
  const LaneOps<Real>& ops_;
  int lanes_, radix_;
  Index length_;  // of the complex transforms
  bool stages_;   // binary16; and AVX-512 is slow at storing the numbers of a register apart
  codelet::KernelFunction direct_, staged_;
  const void* table_;  // of a prime radix
  LanePlan<Real> plan_;
  Buffer<Real> twiddles_;
  std::vector<Index> places_;
};

}  // namespace

bool has_real_pass(const AxisRecipe& lanes, Precision precision) {
  return real_split(lanes.lane[0], lanes.isa, precision).has_value();
}

template <class Real>
EnginePtr<Real> make_odd_lanes_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  const auto split =
      real_split(recipe.lane[0], recipe.isa, sizeof(Real) == 8 ? Precision::f64 : Precision::f32);
  return std::make_unique<OddLanesEngine<Real>>(recipe, problem, split.value());
}
template EnginePtr<float> make_odd_lanes_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_odd_lanes_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
