// SPDX-License-Identifier: BSD-3-Clause
// The public SpectralOperator: checks the request and the arguments, chooses the tiles.
#include <algorithm>
#include <variant>

#include "base/index.hpp"
#include "base/names.hpp"
#include "local/choose/machine_model.hpp"
#include "problem/request.hpp"
#include "spectral/fused_operator.hpp"
#include "weft/spectral.hpp"

namespace weft {
namespace {

[[noreturn]] void refuse_operator(const std::string& why) {
  throw Error(ErrorCode::invalid_argument, why);
}

/// Each thread takes planes of its own.
bool has_planes_for(const spectral::OperatorProblem& problem, int threads) {
  const auto& axes = problem.forward.axes;
  return !axes.empty() && problem.spectrum[at(*std::ranges::min_element(axes))] >= threads;
}

}  // namespace

struct SpectralOperator::Impl {
  using Fused = std::variant<spectral::FusedOperator<float>, spectral::FusedOperator<double>>;
  spectral::OperatorProblem problem;
  Fused fused;

  static Fused build(const spectral::OperatorProblem& problem, const ModeFunction& function,
                     const SpectralOptions& options) {
    problem::check_effort(options.effort);
    if (options.threads < 0 && !options.executor)
      refuse_operator("threads is " + std::to_string(options.threads) +
                      "; give a positive number, or 0 for all cores");
    spectral::OperatorChoice choice{
        .effort = options.effort,
        .time_limit_s = options.time_limit_s / 4,  // up to four recipes are chosen
        .use_wisdom = options.use_wisdom,
        .executor = options.executor       ? options.executor
                    : options.threads == 1 ? serial_executor()
                                           : openmp_executor(options.threads)};
    const double l2_bytes = local::machine_model().l2.bytes;
    const spectral::Tiling tiling = spectral::choose_tiling(
        problem.forward, problem.spectrum, problem.fields(), l2_bytes / 2,
        has_planes_for(problem, choice.executor->concurrency()) ? 1.5 * l2_bytes : 0);
    if (!function.on_f64() && !function.on_f32())
      refuse_operator(
          "the multipliers are in device memory; a CPU needs them on the host, see "
          "weft::spectral::multiply");
    if (problem.forward.precision == Precision::f64) {
      if (!function.on_f64())
        refuse_operator("the transform is f64, the function takes tiles of f32 only");
      return spectral::FusedOperator<double>(problem, tiling, function.on_f64(), choice);
    }
    if (!function.on_f32())
      refuse_operator("the transform is f32, the function takes tiles of f64 only");
    return spectral::FusedOperator<float>(problem, tiling, function.on_f32(), choice);
  }

  Impl(const Transform& forward, const ModeFunction& function, const SpectralOptions& options)
      : problem(spectral::check_operator(forward, function, options.lengths)),
        fused(build(problem, function, options)) {}

  std::size_t workspace_bytes() const {
    return std::visit([](const auto& built) { return built.workspace_bytes(); }, fused);
  }
};

SpectralOperator::SpectralOperator(const Transform& forward, ModeFunction function,
                                   const SpectralOptions& options)
    : impl_(std::make_unique<Impl>(forward, function, options)) {}
SpectralOperator::~SpectralOperator() = default;
SpectralOperator::SpectralOperator(SpectralOperator&&) noexcept = default;
SpectralOperator& SpectralOperator::operator=(SpectralOperator&&) noexcept = default;

void SpectralOperator::run(Element type, const void* const* in, std::size_t inputs,
                           void* const* out, std::size_t outputs, Workspace& workspace) const {
  const Impl& impl = *impl_;
  const spectral::OperatorProblem& problem = impl.problem;
  spectral::check_fields(problem, type.precision, type.is_complex, inputs, outputs);
  if (problem.is_empty()) return;
  spectral::check_arrays(problem, in, out);
  if (workspace.bytes() < impl.workspace_bytes())
    refuse_operator("the workspace has " + std::to_string(workspace.bytes()) +
                    " bytes, the operator needs " + std::to_string(impl.workspace_bytes()) +
                    "; make it with make_workspace()");
  std::visit([&](const auto& fused) { fused.execute(in, out, workspace.data()); }, impl.fused);
}

std::size_t SpectralOperator::workspace_bytes() const { return impl_->workspace_bytes(); }
std::vector<Index> SpectralOperator::input_shape() const {
  return impl_->problem.forward.input_extents;
}
std::vector<Index> SpectralOperator::output_shape() const {
  return impl_->problem.forward.output_extents;
}
std::vector<Index> SpectralOperator::spectrum_shape() const { return impl_->problem.spectrum; }
std::string SpectralOperator::explain() const {
  return std::visit([](const auto& fused) { return fused.explain(); }, impl_->fused);
}
double SpectralOperator::passes() const {
  return std::visit([](const auto& fused) { return fused.passes(); }, impl_->fused);
}

}  // namespace weft
