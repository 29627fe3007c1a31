// SPDX-License-Identifier: BSD-3-Clause
// The public operator on GPUs: checks the request and the arguments, chooses how it is done.
#include <memory>

#include "base/format.hpp"
#include "base/names.hpp"
#include "gpu/device/arguments.hpp"
#include "problem/request.hpp"
#include "spectral/fused_on_gpu.hpp"
#include "spectral/gpu_steps.hpp"
#include "spectral/numbers_on_device.hpp"
#include "weft/spectral_cuda.hpp"

namespace weft::cuda {
namespace {

spectral::OperatorProblem checked(const Transform& forward, const ModeFunction& function,
                                  const SpectralOptions& options) {
  problem::check_effort(options.effort);
  return spectral::check_operator(forward, function, options.lengths);
}

}  // namespace

struct SpectralOperator::Impl {
  spectral::OperatorProblem problem;
  const gpu::GpuDevice& device;
  spectral::NumbersOnDevice numbers;
  std::unique_ptr<spectral::GpuSteps> steps;  ///< one of both; none without elements
  std::unique_ptr<spectral::FusedOnGpu> fused;

  Impl(const Transform& forward, const ModeFunction& function, const SpectralOptions& options)
      : Impl(checked(forward, function, options), function, options) {}
  Impl(const spectral::OperatorProblem& checked_problem, const ModeFunction& function,
       const SpectralOptions& options)
      : Impl(checked_problem, spectral::mode_function_on_gpu(function, checked_problem), options) {}
  Impl(const spectral::OperatorProblem& checked_problem, const spectral::ModeFunctionOnGpu& form,
       const SpectralOptions& options)
      : problem(checked_problem),
        device(gpu::device(options.device)),
        numbers(form.numbers, device) {
    if (problem.is_empty()) return;
    fused = spectral::fused_on_gpu(problem, form.text, numbers.data(), device, options);
    if (!fused) steps = std::make_unique<spectral::GpuSteps>(problem, form.text, device, options);
  }

  void check_on_device(const void* array, const char* side) const {
    const auto bytes = static_cast<std::uintptr_t>(
        in_element_bytes(problem.forward.kind, problem.forward.precision));
    if (reinterpret_cast<std::uintptr_t>(array) % bytes != 0)
      throw Error(ErrorCode::invalid_argument,
                  weft::format("an {} array is not aligned to its elements; align it to {} bytes",
                               side, bytes));
    gpu::check_on_device(array, device.number, side);
  }
  std::size_t workspace_bytes() const {
    return fused ? fused->workspace_bytes() : steps ? steps->workspace_bytes() : 0;
  }
};

SpectralOperator::SpectralOperator(const Transform& forward, const ModeFunction& function,
                                   const SpectralOptions& options)
    : impl_(std::make_unique<Impl>(forward, function, options)) {}
SpectralOperator::~SpectralOperator() = default;
SpectralOperator::SpectralOperator(SpectralOperator&&) noexcept = default;
SpectralOperator& SpectralOperator::operator=(SpectralOperator&&) noexcept = default;

void SpectralOperator::run(Precision precision, bool is_complex, std::span<const void* const> in,
                           std::span<void* const> out, Workspace& workspace, Stream stream) const {
  const Impl& impl = *impl_;
  spectral::check_fields(impl.problem, precision, is_complex, in.size(), out.size());
  if (impl.problem.is_empty()) return;
  spectral::check_arrays(impl.problem, in.data(), out.data());
  for (const void* each : in) impl.check_on_device(each, "input");
  for (const void* each : out) impl.check_on_device(each, "output");
  if (workspace.bytes() < impl.workspace_bytes())
    throw Error(ErrorCode::invalid_argument,
                weft::format("the workspace has {} bytes, the operator needs {}; make it with "
                             "make_workspace()",
                             workspace.bytes(), impl.workspace_bytes()));
  if (impl.workspace_bytes() > 0)
    gpu::check_on_device(workspace.data(), impl.device.number, "workspace");
  const gpu::UseDevice use(impl.device);
  if (impl.fused)
    impl.fused->run(in, out, impl.numbers.data(), workspace.data(), stream.handle);
  else
    impl.steps->run(in, out, impl.numbers.data(), workspace.data(), stream.handle);
}

std::size_t SpectralOperator::workspace_bytes() const { return impl_->workspace_bytes(); }
Workspace SpectralOperator::make_workspace() const {
  return {workspace_bytes(), impl_->device.number};
}
std::vector<Index> SpectralOperator::input_shape() const {
  return impl_->problem.forward.input_extents;
}
std::vector<Index> SpectralOperator::output_shape() const {
  return impl_->problem.forward.output_extents;
}
std::vector<Index> SpectralOperator::spectrum_shape() const { return impl_->problem.spectrum; }
int SpectralOperator::device() const { return impl_->device.number; }
std::string SpectralOperator::recipe() const {
  return impl_->fused   ? impl_->fused->recipe()
         : impl_->steps ? impl_->steps->recipe()
                        : std::string();
}
std::string SpectralOperator::explain() const {
  return impl_->fused   ? impl_->fused->explain(impl_->device)
         : impl_->steps ? impl_->steps->explain(impl_->device)
                        : "nothing to do: no elements\n";
}
double SpectralOperator::passes() const {
  return impl_->fused ? impl_->fused->passes() : impl_->steps ? impl_->steps->passes() : 0;
}

}  // namespace weft::cuda
