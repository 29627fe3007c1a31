// SPDX-License-Identifier: BSD-3-Clause
// Real transforms by lanes, through planar scratch. Even n: the points pair up into a complex
// transform of half the length. Odd n: two transforms share a complex one of full length.
#include "base/index.hpp"
#include "base/roots.hpp"
#include "local/engines.hpp"
#include "local/lane_plan.hpp"

namespace weft::local {
namespace {

using codelet::Layout;

template <class Real>
class RealLanesEngine final : public AxisEngine<Real> {
 public:
  RealLanesEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : problem_(problem),
        even_(problem.n % 2 == 0),
        lane_(problem.loops.empty() ? Loop{} : problem.loops.back()),
        outer_(problem.loops.empty()
                   ? problem.loops
                   : std::vector<Loop>(problem.loops.begin(), problem.loops.end() - 1)),
        ops_(lane_ops<Real>(recipe.isa)),
        lanes_(codelet::lanes(recipe.isa, sizeof(Real) == 8 ? Precision::f64 : Precision::f32)),
        plan_(request(recipe)),
        roots_(even_ ? problem.n / 2 + 2 : 0) {
    if (even_) {
      const RootPowers<long double> roots(problem.n);
      for (Index k = 0; 4 * k <= problem.n; ++k) {
        const auto w = roots(k);
        roots_[2 * k] = static_cast<Real>(w.real());
        roots_[2 * k + 1] = static_cast<Real>(w.imag());
      }
    }
    // Complex rows, then the half spectra (two of them for odd n), then the lane plan's own
    // scratch.
    this->task_reals_ = row() * (problem.n + 1 + 2 * half_rows()) + plan_.scratch_reals();
  }

  Index units(int) const override { return outer_.count() * blocks(); }

  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = outer_(unit / blocks());
      const Index first = unit % blocks() * block();
      const int count = static_cast<int>(std::min(block(), lane_.count - first));
      const Index bytes = problem_.half ? 2 : Index{sizeof(Real)};
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
  Index half_rows() const { return problem_.n / 2 + 1; }
  Index block() const { return even_ ? lanes_ : 2 * lanes_; }
  Index blocks() const { return ceil_div(lane_.count, block()); }

  LaneRequest request(const AxisRecipe& recipe) const {
    const LaneSide planar{Layout::planar, 2 * lanes_, 1, 0};
    return {.recipe = recipe.lane[0],
            .isa = recipe.isa,
            .direction = problem_.kind == Kind::r2c ? Direction::forward : Direction::backward,
            .in = planar,
            .out = planar};
  }
  RowsRef memory(const char* data, Index row, Index lane) const {
    return {const_cast<char*>(data), row, lane, nullptr, false, problem_.half};
  }
  RowsRef planar(Real* rows) const { return {.data = rows, .row = row(), .planar = true}; }
  /// The second of two transforms that share a lane.
  const char* partner(const char* data, Index lane) const {
    return data + lanes_ * lane * (problem_.half ? 2 : Index{sizeof(Real)});
  }

  void forward(const char* in, char* out, int count, Real* scratch) const {
    Real *z = scratch, *x = z + row() * (problem_.n + 1), *work = x + 2 * row() * half_rows();
    if (even_) {
      const Index h = problem_.n / 2;
      ops_.load_real(memory(in, 2 * problem_.in_row, lane_.in), problem_.in_row, h, count, count,
                     z);
      plan_.execute(z, z, work);
      ops_.real_combine(z, h, roots_.data(), x);
      ops_.move(planar(x), memory(out, problem_.out_row, lane_.out), h + 1, count, nullptr,
                problem_.scale);
      return;
    }
    const int first = std::min(count, lanes_), second = count - first;
    Real* partner_x = x + row() * half_rows();
    ops_.load_real(memory(in, problem_.in_row, lane_.in), lanes_ * lane_.in, problem_.n, first,
                   second, z);
    plan_.execute(z, z, work);
    ops_.pair_separate(z, problem_.n, x, partner_x);
    ops_.move(planar(x), memory(out, problem_.out_row, lane_.out), half_rows(), first, nullptr,
              problem_.scale);
    if (second > 0)
      ops_.move(planar(partner_x), memory(partner(out, lane_.out), problem_.out_row, lane_.out),
                half_rows(), second, nullptr, problem_.scale);
  }

  void backward(const char* in, char* out, int count, Real* scratch) const {
    Real *z = scratch, *x = z + row() * (problem_.n + 1), *work = x + 2 * row() * half_rows();
    if (even_) {
      const Index h = problem_.n / 2;
      ops_.move(memory(in, problem_.in_row, lane_.in), planar(x), h + 1, count, nullptr, 1.0);
      ops_.real_separate(x, h, roots_.data(), z);
      plan_.execute(z, z, work);
      ops_.store_real(z, problem_.out_row, h, count, count, problem_.scale,
                      memory(out, 2 * problem_.out_row, lane_.out));
      return;
    }
    const int first = std::min(count, lanes_), second = count - first;
    Real* partner_x = x + row() * half_rows();
    ops_.move(memory(in, problem_.in_row, lane_.in), planar(x), half_rows(), first, nullptr, 1.0);
    ops_.move(memory(second > 0 ? partner(in, lane_.in) : in, problem_.in_row, lane_.in),
              planar(partner_x), half_rows(), second, nullptr, 1.0);
    ops_.pair_combine(x, partner_x, problem_.n, z);
    plan_.execute(z, z, work);
    ops_.store_real(z, lanes_ * lane_.out, problem_.n, first, second, problem_.scale,
                    memory(out, problem_.out_row, lane_.out));
  }

  AxisProblem problem_;
  bool even_;
  Loop lane_;
  LoopIndex outer_;
  const LaneOps<Real>& ops_;
  int lanes_;
  LanePlan<Real> plan_;
  Buffer<Real> roots_;
};

}  // namespace

template <class Real>
EnginePtr<Real> make_real_lanes_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  return std::make_unique<RealLanesEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_real_lanes_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_real_lanes_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
