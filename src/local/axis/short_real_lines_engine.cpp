// SPDX-License-Identifier: BSD-3-Clause
// Short contiguous real transforms of even length: the points of a line pair up into a complex line
// of half the length, which a line kernel transforms; one sweep combines mirror images. A block of
// lines stays in the first cache between the two.
#include <algorithm>

#include "local/axis/engines.hpp"
#include "local/axis/line_calls.hpp"
#include "local/lane/lane_ops.hpp"
#include "local/lane/mirror_tables.hpp"

namespace weft::local {
namespace {

template <class Real>
class ShortRealLinesEngine final : public AxisEngine<Real> {
 public:
  ShortRealLinesEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : forward_(problem.kind == Kind::r2c),
        n_(problem.n),
        ops_(lane_ops<Real>(recipe.isa)),
        kernel_(key_for(recipe, problem), forward_ ? 1.0 : problem.scale),
        mirror_(problem.n, problem.kind, problem.scale),
        line_(problem.loops.empty() ? Loop{} : problem.loops.back()),
        outer_(problem.loops.empty()
                   ? problem.loops
                   : std::vector<Loop>(problem.loops.begin(), problem.loops.end() - 1)),
        block_(std::clamp<Index>(block_reals / problem.n, 1, std::max<Index>(line_.count, 1))),
        blocks_((line_.count + block_ - 1) / block_) {
    this->task_reals_ = block_ * n_;
  }

  Index units(int) const override { return outer_.count() * blocks_; }

  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    Real* middle = scratch.task;
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = outer_(unit / blocks_);
      const Index first = unit % blocks_ * block_;
      const Real* from = static_cast<const Real*>(in) + at.in + first * line_.in;
      Real* to = static_cast<Real*>(out) + at.out + first * line_.out;
      const Index count = std::min(block_, line_.count - first);
      if (forward_) {
        kernel_(from, line_.in, middle, n_, count);
        ops_.mirror_lines(middle, to, mirror_.work(count, n_, line_.out));
      } else {
        ops_.mirror_lines(from, middle, mirror_.work(count, line_.in, n_));
        kernel_(middle, n_, to, line_.out, count);
      }
    }
  }

 private:
  static constexpr Index block_reals = 1024;

  static codelet::KernelKey key_for(const AxisRecipe& recipe, const AxisProblem& problem) {
    codelet::KernelKey key =
        line_kernel(recipe, sizeof(Real) == 8 ? Precision::f64 : Precision::f32)->key;
    key.backward = problem.kind == Kind::c2r;
    key.scaled = key.backward && problem.scale != 1.0;
    return key;
  }

  bool forward_;
  Index n_;
  const LaneOps<Real>& ops_;
  LineCalls<Real> kernel_;
  MirrorTable<Real> mirror_;
  Loop line_;
  LoopIndex outer_;
  Index block_, blocks_;
};

}  // namespace

template <class Real>
EnginePtr<Real> make_short_real_lines_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  return std::make_unique<ShortRealLinesEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_short_real_lines_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_short_real_lines_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
