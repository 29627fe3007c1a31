// SPDX-License-Identifier: BSD-3-Clause
// The public SpectralOperator: checks the request and the arguments, chooses the way.
#include "problem/request.hpp"
#include "spectral/choose_operator.hpp"
#include "weft/spectral.hpp"

namespace weft {
namespace {

[[noreturn]] void refuse_operator(const std::string& why) {
  throw Error(ErrorCode::invalid_argument, why);
}

/// Time limits are shared between choosing the way and the recipes of its sweeps, up to four.
spectral::OperatorChoice choice_of(const SpectralOptions& options) {
  problem::check_effort(options.effort);
  if (options.threads < 0 && !options.executor)
    refuse_operator("threads is " + std::to_string(options.threads) +
                    "; give a positive number, or 0 for all cores");
  return {.effort = options.effort,
          .time_limit_s = options.time_limit_s / 2,
          .use_wisdom = options.use_wisdom,
          .executor = options.executor       ? options.executor
                      : options.threads == 1 ? serial_executor()
                                             : openmp_executor(options.threads)};
}

}  // namespace

struct SpectralOperator::Impl {
  spectral::OperatorProblem problem;
  spectral::OperatorWay way;
  std::unique_ptr<const spectral::RunnableOperator> built;  // null: there are no elements

  Impl(const Transform& forward, const ModeFunction& function, const SpectralOptions& options)
      : problem(spectral::check_operator(forward, function, options.lengths)) {
    spectral::OperatorChoice choice = choice_of(options);
    spectral::check_function(problem, function);
    if (problem.is_empty()) return;
    way = spectral::choose_way(problem, choice);
    choice.time_limit_s /= 4;
    built = spectral::make_operator(problem, way, function, choice);
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
  if (workspace.bytes() < workspace_bytes())
    refuse_operator("the workspace has " + std::to_string(workspace.bytes()) +
                    " bytes, the operator needs " + std::to_string(workspace_bytes()) +
                    "; make it with make_workspace()");
  impl.built->execute(in, out, workspace.data());
}

std::size_t SpectralOperator::workspace_bytes() const {
  return impl_->built ? impl_->built->workspace_bytes() : 0;
}
std::vector<Index> SpectralOperator::input_shape() const {
  return impl_->problem.forward.input_extents;
}
std::vector<Index> SpectralOperator::output_shape() const {
  return impl_->problem.forward.output_extents;
}
std::vector<Index> SpectralOperator::spectrum_shape() const { return impl_->problem.spectrum; }
std::string SpectralOperator::explain() const {
  if (!impl_->built) return "no elements: nothing to do\n";
  return "by " + to_text(impl_->way) + ": " + impl_->built->explain();
}
double SpectralOperator::passes() const { return impl_->built ? impl_->built->passes() : 0; }

}  // namespace weft
