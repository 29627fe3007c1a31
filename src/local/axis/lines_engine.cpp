// SPDX-License-Identifier: BSD-3-Clause
// Short contiguous transforms, complex or real, one after another, each by a line kernel: vectors
// lie within the transform, so nothing is transposed between lanes and a single line is as fast as
// one of many.
#include <algorithm>

#include "local/axis/engines.hpp"
#include "local/axis/line_calls.hpp"

namespace weft::local {
namespace {

template <class Real>
class LinesEngine final : public AxisEngine<Real> {
 public:
  LinesEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : kernel_(
            whole_line_kernel(recipe, problem, sizeof(Real) == 8 ? Precision::f64 : Precision::f32)
                ->key,
            problem.scale),
        line_(problem.loops.empty() ? Loop{} : problem.loops.back()),
        outer_(problem.loops.empty()
                   ? problem.loops
                   : std::vector<Loop>(problem.loops.begin(), problem.loops.end() - 1)),
        block_(std::max<Index>(1, unit_points / recipe.n)),
        blocks_((line_.count + block_ - 1) / block_) {}

  Index units(int) const override { return outer_.count() * blocks_; }

  KernelCall as_one_call() const override {
    if (outer_.count() * blocks_ != 1) return {};
    return kernel_.as_one_call(line_.in, line_.out, line_.count);
  }

  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>&) const override {
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = outer_(unit / blocks_);
      const Index first = unit % blocks_ * block_;
      kernel_(static_cast<const Real*>(in) + at.in + first * line_.in, line_.in,
              static_cast<Real*>(out) + at.out + first * line_.out, line_.out,
              std::min(block_, line_.count - first));
    }
  }

 private:
  static constexpr Index unit_points = 4096;  // a call of a microsecond or two

  LineCalls<Real> kernel_;
  Loop line_;
  LoopIndex outer_;
  Index block_, blocks_;
};

}  // namespace

template <class Real>
EnginePtr<Real> make_lines_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  return std::make_unique<LinesEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_lines_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_lines_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
