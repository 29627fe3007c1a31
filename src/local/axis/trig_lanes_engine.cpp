// SPDX-License-Identifier: BSD-3-Clause
// DCTs and DSTs of types II, III and IV and even length n = 2h by lanes: the rows come as pairs in
// the order that the complex transform of h points wants, one step goes before or after it, and the
// rows leave as pairs. trig_tables.hpp has the formulas.
#include <algorithm>

#include "base/index.hpp"
#include "local/axis/engines.hpp"
#include "local/lane/lane_plan.hpp"
#include "local/lane/trig_tables.hpp"

namespace weft::local {
namespace {

using codelet::KernelLayout;

template <class Real>
class TrigLanesEngine final : public AxisEngine<Real> {
 public:
  TrigLanesEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : problem_(problem),
        h_(problem.n / 2),
        type_(trig_type(problem.r2r)),
        sine_(is_sine(problem.r2r)),
        lane_(problem.loops.empty() ? Loop{} : problem.loops.back()),
        outer_(problem.loops.empty()
                   ? problem.loops
                   : std::vector<Loop>(problem.loops.begin(), problem.loops.end() - 1)),
        ops_(lane_ops<Real>(recipe.isa)),
        lanes_(codelet::lanes(recipe.isa, sizeof(Real) == 8 ? Precision::f64 : Precision::f32)),
        plan_(request(recipe)) {
    if (type_ == 4)
      make_type_four();
    else
      make_spectrum_tables();
    this->task_reals_ = 2 * h_ * row() + plan_.scratch_reals();
  }

  Index units(int) const override { return outer_.count() * blocks(); }

  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = outer_(unit / blocks());
      const Index first = unit % blocks() * lanes_;
      const int count = static_cast<int>(std::min<Index>(lanes_, lane_.count - first));
      auto* x = const_cast<Real*>(static_cast<const Real*>(in)) + at.in + first * lane_.in;
      Real* y = static_cast<Real*>(out) + at.out + first * lane_.out;
      Real *a = scratch.task, *b = a + h_ * row();
      ops_.load_pairs({x, problem_.in_row, lane_.in, in_map_.data()}, h_, count, a);
      const Real* result = transform(a, b, b + h_ * row());
      ops_.store_pairs(result, h_, count, 1.0, {y, problem_.out_row, lane_.out, out_map_.data()});
    }
  }

 private:
  Index row() const { return 2 * lanes_; }
  Index blocks() const { return ceil_div(lane_.count, lanes_); }

  /// Type IV of cosines is done by conjugates: it gives y[n-1-2k] with its sign.
  bool is_backward() const { return type_ == 3 || (type_ == 4 && !sine_); }
  LaneRequest request(const AxisRecipe& recipe) const {
    const LaneSide planar{KernelLayout::planar, 2 * lanes_, 1, 0};
    return {.recipe = recipe.lane[0],
            .isa = recipe.isa,
            .direction = is_backward() ? Direction::backward : Direction::forward,
            .in = planar,
            .out = planar};
  }

  void make_spectrum_tables() {
    const Index n = problem_.n;
    const RootPowers<long double> roots(n);
    combine_roots_ = Buffer<Real>(h_ + 2);
    for (Index k = 0; 2 * k <= h_; ++k) {
      combine_roots_[2 * k] = static_cast<Real>(roots(k).real());
      combine_roots_[2 * k + 1] = static_cast<Real>(roots(k).imag());
    }
    const auto factors =
        spectrum_factors<Real>(problem_.r2r, n, problem_.scale, problem_.orthogonalize);
    factors_ = Buffer<Real>(2 * (h_ + 1));
    for (Index k = 0; k <= h_; ++k) {
      factors_[2 * k] = factors.cosine[k];
      factors_[2 * k + 1] = factors.sine[k];
    }
    // Even points ascending, odd points descending; and points k and n-k, 0 and h.
    std::vector<Index> folded, ends;
    for (Index i = 0; i < n; ++i) folded.push_back(i < h_ ? 2 * i : 2 * (n - 1 - i) + 1);
    for (Index k = 0; k < h_; ++k)
      for (Index end : {k, k == 0 ? h_ : n - k}) ends.push_back(sine_ ? n - 1 - end : end);
    in_map_ = type_ == 2 ? folded : ends;
    out_map_ = type_ == 2 ? std::move(ends) : std::move(folded);
  }

  /// Cosines: conj(z[j]) = -i (x[n-1-2j] + i x[2j]) conj(f[j]).
  void make_type_four() {
    const Index n = problem_.n;
    const auto in = input_factors<Real>(n), out = output_factors<Real>(n, problem_.scale);
    factors_ = Buffer<Real>(n);
    last_factors_ = Buffer<Real>(n);
    for (Index j = 0; j < h_; ++j) {
      factors_[2 * j] = sine_ ? in.cosine[j] : -in.sine[j];
      factors_[2 * j + 1] = sine_ ? in.sine[j] : -in.cosine[j];
      last_factors_[2 * j] = out.cosine[j];
      last_factors_[2 * j + 1] = sine_ ? out.sine[j] : -out.sine[j];
      in_map_.insert(in_map_.end(), {n - 1 - 2 * j, 2 * j});
      out_map_.insert(out_map_.end(), {2 * j, n - 1 - 2 * j});
    }
  }

  /// a: h rows in; b: room for as many. Returns the one of them that has the result.
  const Real* transform(Real* a, Real* b, Real* work) const {
    // The odd points of a sine transform, the second half of the folded ones, change their sign.
    Real* odd = a + h_ * lanes_;
    if (type_ == 2) {
      if (sine_) ops_.negate(odd, h_);
      plan_.execute(a, a, work);
      ops_.combine_turned(a, h_, combine_roots_.data(), factors_.data(), b);
      return b;
    }
    if (type_ == 3) {
      ops_.separate_turned(a, h_, combine_roots_.data(), factors_.data(), b);
      plan_.execute(b, a, work);
      if (sine_) ops_.negate(odd, h_);
      return a;
    }
    ops_.multiply(a, h_, factors_.data());
    plan_.execute(a, b, work);
    ops_.multiply(b, h_, last_factors_.data());
    return b;
  }

  AxisProblem problem_;
  Index h_;
  int type_;
  bool sine_;
  Loop lane_;
  LoopIndex outer_;
  const LaneOps<Real>& ops_;
  int lanes_;
  LanePlan<Real> plan_;
  Buffer<Real> combine_roots_, factors_, last_factors_;
  std::vector<Index> in_map_, out_map_;
};

}  // namespace

bool has_trig_lanes(const AxisProblem& problem) {
  return problem.kind == Kind::r2r && !problem.is_staged() && trig_type(problem.r2r) > 1 &&
         problem.n % 2 == 0;
}

template <class Real>
EnginePtr<Real> make_trig_lanes_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  return std::make_unique<TrigLanesEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_trig_lanes_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_trig_lanes_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
