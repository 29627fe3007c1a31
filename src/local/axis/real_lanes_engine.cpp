// SPDX-License-Identifier: BSD-3-Clause
// Real transforms by lanes, through planar scratch. Even n: the points pair up into a complex
// transform of half the length. Odd n: a complex transform of full length, where a recipe suits
// neither odd_lanes_engine.cpp nor prime_lanes_engine.cpp. A lane holds one transform and nothing
// of another.
#include "base/index.hpp"
#include "base/roots.hpp"
#include "local/axis/engines.hpp"
#include "local/axis/formed_rows.hpp"
#include "local/lane/lane_plan.hpp"

namespace weft::local {
namespace {

using codelet::KernelLayout;

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
    // Complex rows, then the half spectrum, then the lane plan's own scratch.
    this->task_reals_ = row() * (complex_rows() + half_rows()) + plan_.scratch_reals();
  }

  Index units(int) const override { return outer_.count() * blocks(); }

  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = outer_(unit / blocks());
      const Index first = unit % blocks() * lanes_;
      const int count = static_cast<int>(std::min<Index>(lanes_, lane_.count - first));
      const Index bytes = problem_.half ? 2 : Index{sizeof(Real)};
      const char* x = static_cast<const char*>(in) + (at.in + first * lane_.in) * bytes;
      char* y = static_cast<char*>(out) + (at.out + first * lane_.out) * bytes;
      if (problem_.kind == Kind::r2c)
        forward(x, y, count, scratch);
      else
        backward(x, y, count, scratch);
    }
  }

 private:
  Index row() const { return 2 * lanes_; }
  Index half_rows() const { return problem_.n / 2 + 1; }
  Index complex_rows() const { return even_ ? problem_.n / 2 : problem_.n; }
  Index blocks() const { return ceil_div(lane_.count, lanes_); }

  LaneRequest request(const AxisRecipe& recipe) const {
    const LaneSide planar{KernelLayout::planar, 2 * lanes_, 1, 0};
    return {.recipe = recipe.lane[0],
            .isa = recipe.isa,
            .direction = problem_.kind == Kind::r2c ? Direction::forward : Direction::backward,
            .in = planar,
            .out = planar};
  }
  RowsRef memory(const char* data, Index row, Index lane, Index imag = 1) const {
    return {const_cast<char*>(data), row, lane, nullptr, false, problem_.half, imag};
  }
  FormedRows<Real> rows(const RowForm& form, Index count) const {
    return {ops_, form, count, lanes_};
  }

  void forward(const char* in, char* out, int count, const Scratch<Real>& scratch) const {
    Real *z = scratch.task, *x = z + row() * complex_rows(), *work = x + row() * half_rows();
    const FormedRows<Real> reals = rows(problem_.in_form, problem_.n);
    if (even_)
      reals.load_pairs(memory(in, problem_.in_row, lane_.in), z, count);
    else
      reals.load_reals(memory(in, problem_.in_row, lane_.in), z, count);
    plan_.execute(z, z, work);
    if (even_) ops_.real_combine(z, complex_rows(), roots_.data(), x);
    const Index imag = problem_.out_form.split ? scratch.out_imag : 1;
    rows(problem_.out_form, half_rows())
        .store(even_ ? x : z, memory(out, problem_.out_row, lane_.out, imag), count, nullptr,
               problem_.scale);
  }

  void backward(const char* in, char* out, int count, const Scratch<Real>& scratch) const {
    Real *z = scratch.task, *x = z + row() * complex_rows(), *work = x + row() * half_rows();
    const Index imag = problem_.in_form.split ? scratch.in_imag : 1;
    rows(problem_.in_form, half_rows())
        .load(memory(in, problem_.in_row, lane_.in, imag), even_ ? x : z, count);
    if (even_)
      ops_.real_separate(x, complex_rows(), roots_.data(), z);
    else
      ops_.mirror_rows(z, problem_.n);
    plan_.execute(z, z, work);
    const FormedRows<Real> reals = rows(problem_.out_form, problem_.n);
    if (even_)
      reals.store_pairs(z, memory(out, problem_.out_row, lane_.out), count, problem_.scale);
    else
      reals.store_reals(z, memory(out, problem_.out_row, lane_.out), count, problem_.scale);
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
