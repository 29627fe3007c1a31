// SPDX-License-Identifier: BSD-3-Clause
// Short real transforms, V of them side by side, by one real kernel from memory to memory. What is
// left over beyond whole groups of V goes through the kernel of one lane. Halfcomplex and Hartley
// transforms have kernels of one lane only.
#include "local/axis/engines.hpp"

namespace weft::local {
namespace {

using codelet::KernelLayout;
using codelet::KernelTransform;

KernelTransform transform_of(const AxisProblem& problem) {
  if (problem.kind != Kind::r2r)
    return problem.kind == Kind::r2c ? KernelTransform::real_forward
                                     : KernelTransform::real_backward;
  return problem.r2r == R2r::dht    ? KernelTransform::hartley
         : problem.r2r == R2r::r2hc ? KernelTransform::halfcomplex_forward
                                    : KernelTransform::halfcomplex_backward;
}

/// Both sides have adjacent rows, or adjacent lanes, or anything.
KernelLayout layout_of(const AxisProblem& problem) {
  const Loop lane = problem.loops.empty() ? Loop{} : problem.loops.back();
  const KernelTransform transform = transform_of(problem);
  const Index in_width = codelet::has_real_input(transform) ? 1 : 2;
  const Index out_width = codelet::has_real_output(transform) ? 1 : 2;
  if (problem.in_row == in_width && problem.out_row == out_width) return KernelLayout::tile;
  if (lane.in == in_width && lane.out == out_width) return KernelLayout::unit;
  return KernelLayout::strided;
}

const codelet::CompiledKernel* find(codelet::Isa isa, const AxisProblem& problem,
                                    Precision precision) {
  if (problem.n > 64) return nullptr;
  const KernelLayout layout = layout_of(problem);
  return codelet::find_kernel({.isa = isa,
                               .precision = precision,
                               .radix = static_cast<int>(problem.n),
                               .in = layout,
                               .out = layout,
                               .scaled = problem.scale != 1.0,
                               .transform = transform_of(problem)});
}

template <class Real>
class RealKernelEngine final : public AxisEngine<Real> {
 public:
  RealKernelEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : lane_(problem.loops.empty() ? Loop{} : problem.loops.back()),
        outer_(problem.loops.empty()
                   ? problem.loops
                   : std::vector<Loop>(problem.loops.begin(), problem.loops.end() - 1)),
        lanes_(codelet::lanes(recipe.isa, precision)),
        blocks_((lane_.count + block() - 1) / block()) {
    group_ = find(recipe.isa, problem, precision)->function;
    single_ = find(codelet::Isa::scalar, problem, precision)->function;
    arguments_.in_row = problem.in_row;
    arguments_.in_lane = lane_.in;
    arguments_.out_row = problem.out_row;
    arguments_.out_lane = lane_.out;
    arguments_.scale = problem.scale;
    arguments_.table = codelet::table_of(find(recipe.isa, problem, precision)->key);
  }

  Index units(int) const override { return outer_.count() * blocks_; }

  KernelCall as_one_call() const override {
    if (outer_.count() * blocks_ != 1) return {};
    if (lane_.count == 1) return {.function = single_, .arguments = arguments_for(1, 1)};
    if (lane_.count % lanes_ != 0) return {};
    return {.function = group_, .arguments = arguments_for(lanes_, lane_.count / lanes_)};
  }

  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>&) const override {
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = outer_(unit / blocks_);
      const Index first = unit % blocks_ * block();
      const Index count = std::min(block(), lane_.count - first), whole = count / lanes_;
      const Real* from = static_cast<const Real*>(in) + at.in + first * lane_.in;
      Real* to = static_cast<Real*>(out) + at.out + first * lane_.out;
      if (whole > 0) group_(from, to, nullptr, arguments_for(lanes_, whole));
      if (whole * lanes_ < count)
        single_(from + whole * lanes_ * lane_.in, to + whole * lanes_ * lane_.out, nullptr,
                arguments_for(1, count - whole * lanes_));
    }
  }

 private:
  static constexpr Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;

  Index block() const { return 16 * lanes_; }
  codelet::PrimeArguments arguments_for(Index step, Index count) const {
    codelet::PrimeArguments arguments = arguments_;
    arguments.in_step = step * lane_.in;
    arguments.out_step = step * lane_.out;
    arguments.count = count;
    return arguments;
  }

  Loop lane_;
  LoopIndex outer_;
  Index lanes_, blocks_;
  codelet::KernelFunction group_, single_;
  codelet::PrimeArguments arguments_;
};

}  // namespace

const codelet::CompiledKernel* real_kernel(codelet::Isa isa, const AxisProblem& problem,
                                           Precision precision) {
  if (problem.kind == Kind::c2c || problem.is_staged()) return nullptr;
  if (problem.kind == Kind::r2r && problem.r2r < R2r::dht) return nullptr;  // cosines and sines
  return find(isa, problem, precision);
}

bool admits_real_kernel(codelet::Isa isa, const AxisProblem& problem, Precision precision) {
  return real_kernel(isa, problem, precision) != nullptr;
}

bool is_own_kernel(const AxisRecipe& recipe, const AxisProblem& problem, Precision precision) {
  return problem.kind == Kind::r2r && recipe.type == AxisRecipe::Type::real_kernel &&
         admits_real_kernel(recipe.isa, problem, precision);
}

template <class Real>
EnginePtr<Real> make_real_kernel_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  return std::make_unique<RealKernelEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_real_kernel_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_real_kernel_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
