// SPDX-License-Identifier: BSD-3-Clause
// The public functions of fields on GPUs and their sums, and arrays in device memory.
#include <optional>

#include "base/format.hpp"
#include "gpu/device/arguments.hpp"
#include "problem/request.hpp"
#include "spectral/field_problem.hpp"
#include "weft/cuda_fields.hpp"

namespace weft::cuda {
namespace detail {

void set_to_zero(void* device_memory, std::size_t bytes, int device) {
  if (bytes == 0) return;
  const gpu::UseDevice use(gpu::device(device));
  gpu::require(
      gpu::driver().set_bytes(reinterpret_cast<gpu::DevicePointer>(device_memory), 0, bytes),
      "setting memory to zero");
  gpu::require(gpu::driver().stream_synchronize(nullptr), "setting memory to zero");
}
void copy_to_device(void* to, const void* from, std::size_t bytes, int device, Stream stream) {
  if (bytes == 0) return;
  wait(stream, device);
  const gpu::UseDevice use(gpu::device(device));
  gpu::upload(reinterpret_cast<gpu::DevicePointer>(to), from, bytes, "copying to the GPU");
}
void copy_to_host(void* to, const void* from, std::size_t bytes, int device, Stream stream) {
  if (bytes == 0) return;
  wait(stream, device);
  const gpu::UseDevice use(gpu::device(device));
  gpu::require(gpu::driver().copy_to_host(to, reinterpret_cast<gpu::DevicePointer>(from), bytes),
               "copying from the GPU");
}
void refuse_length(Index given, Index held) {
  throw Error(ErrorCode::invalid_argument,
              weft::format("{} numbers were to be copied to or from an array of {} in device "
                           "memory; make it longer, or copy less",
                           given, held));
}

}  // namespace detail

void wait(Stream stream, int device) {
  const gpu::UseDevice use(gpu::device(device));
  gpu::require(gpu::driver().stream_synchronize(stream.handle), "waiting for the GPU");
}

MemoryUse memory_use(int device) {
  const gpu::UseDevice use(gpu::device(device));
  MemoryUse all;
  gpu::require(gpu::driver().memory_info(&all.free_bytes, &all.total_bytes), "cuMemGetInfo");
  return all;
}

struct FieldFunction::Impl {
  spectral::FieldProblem problem;
  const gpu::GpuDevice& device;
  std::optional<gpu::ElementKernel> kernel;  ///< none without elements

  Impl(const spectral::FieldProblem& checked, int number)
      : problem(checked), device(gpu::device(number)) {
    if (!problem.fields.is_empty()) kernel.emplace(problem.kernel(), device);
  }
};

FieldFunction::FieldFunction(const Transform& forward, Side side, const std::string& text,
                             const FieldOptions& options)
    : impl_(std::make_unique<Impl>(
          spectral::field_problem(forward, side, text, options, spectral::Values::of_fields),
          options.device)) {}
FieldFunction::~FieldFunction() = default;
FieldFunction::FieldFunction(FieldFunction&&) noexcept = default;
FieldFunction& FieldFunction::operator=(FieldFunction&&) noexcept = default;

void FieldFunction::run(Precision precision, bool is_complex, std::span<const void* const> in,
                        std::span<void* const> out, std::span<const double> parameters,
                        Stream stream) const {
  const Impl& impl = *impl_;
  if (static_cast<int>(out.size()) != impl.problem.fields.outputs)
    throw Error(ErrorCode::invalid_argument,
                weft::format("the function has {} outputs, {} were given",
                             impl.problem.fields.outputs, out.size()));
  const gpu::FieldArguments arguments = spectral::checked_arguments(
      impl.problem, {precision, is_complex, in, out, parameters}, impl.device.number);
  if (!impl.kernel) return;
  const gpu::UseDevice use(impl.device);
  impl.kernel->run(arguments, impl.problem.grid.count(), stream.handle);
}

int FieldFunction::inputs() const { return impl_->problem.fields.inputs; }
int FieldFunction::outputs() const { return impl_->problem.fields.outputs; }
int FieldFunction::parameters() const { return impl_->problem.parameters; }
Index FieldFunction::count() const { return impl_->problem.grid.count(); }

struct FieldReduction::Impl {
  spectral::FieldProblem problem;
  gpu::Fold fold;
  const gpu::GpuDevice& device;
  std::optional<gpu::ElementKernel> first;  ///< none without elements
  gpu::ElementKernel second;

  Impl(const spectral::FieldProblem& checked, gpu::Fold how, int number)
      : problem(checked),
        fold(how),
        device(gpu::device(number)),
        second(gpu::emit_second_fold(how), device) {
    if (!problem.fields.is_empty()) first.emplace(problem.fold_kernel(fold), device);
  }
  int outputs() const { return problem.fields.outputs; }
  std::size_t workspace_bytes() const {
    return static_cast<std::size_t>(outputs() * (gpu::folded_first + gpu::folded_last)) *
           sizeof(double);
  }
  double nothing() const {
    return fold == gpu::Fold::sum ? 0 : std::numeric_limits<double>::lowest();
  }
  double folded(double x, double y) const {
    if (fold == gpu::Fold::sum) return x + y;
    return y > x || y != y ? y : x;
  }
};

FieldReduction::FieldReduction(const Transform& forward, Side side, const std::string& text,
                               Reduction reduction, const FieldOptions& options)
    : impl_(nullptr) {
  problem::check_enumerator(reduction, Reduction::maximum, "cuda::Reduction");
  impl_ = std::make_unique<Impl>(
      spectral::field_problem(forward, side, text, options, spectral::Values::real),
      reduction == Reduction::sum ? gpu::Fold::sum : gpu::Fold::maximum, options.device);
}
FieldReduction::~FieldReduction() = default;
FieldReduction::FieldReduction(FieldReduction&&) noexcept = default;
FieldReduction& FieldReduction::operator=(FieldReduction&&) noexcept = default;

void FieldReduction::run(Precision precision, bool is_complex, std::span<const void* const> in,
                         std::span<double> results, std::span<const double> parameters,
                         Workspace& workspace, Stream stream) const {
  const Impl& impl = *impl_;
  gpu::FieldArguments arguments = spectral::checked_arguments(
      impl.problem, {precision, is_complex, in, {}, parameters}, impl.device.number);
  if (static_cast<int>(results.size()) != impl.outputs())
    throw Error(ErrorCode::invalid_argument,
                weft::format("the text has {} expressions, there is room for {} results; give one "
                             "for each",
                             impl.outputs(), results.size()));
  std::fill(results.begin(), results.end(), impl.nothing());
  if (!impl.first) return;
  if (workspace.bytes() < impl.workspace_bytes())
    throw Error(ErrorCode::invalid_argument,
                weft::format("the workspace has {} bytes, the reduction needs {}; make it with "
                             "make_workspace()",
                             workspace.bytes(), impl.workspace_bytes()));
  gpu::check_on_device(workspace.data(), impl.device.number, "workspace");
  auto* const partials = static_cast<double*>(workspace.data());
  double* const last = partials + impl.outputs() * gpu::folded_first;
  arguments.partials = partials;
  arguments.folds = gpu::folded_first;
  {
    const gpu::UseDevice use(impl.device);
    impl.first->run(arguments, gpu::folded_first, stream.handle);
    impl.second.run(gpu::SecondFoldArguments{partials, last, gpu::folded_first, gpu::folded_last},
                    impl.outputs() * gpu::folded_last, stream.handle);
  }
  std::vector<double> parts(static_cast<std::size_t>(impl.outputs() * gpu::folded_last));
  detail::copy_to_host(parts.data(), last, parts.size() * sizeof(double), impl.device.number,
                       stream);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    double& result = results[i / static_cast<std::size_t>(gpu::folded_last)];
    result = impl.folded(result, parts[i]);
  }
}

int FieldReduction::inputs() const { return impl_->problem.fields.inputs; }
int FieldReduction::outputs() const { return impl_->outputs(); }
int FieldReduction::parameters() const { return impl_->problem.parameters; }
std::size_t FieldReduction::workspace_bytes() const { return impl_->workspace_bytes(); }
Workspace FieldReduction::make_workspace() const {
  return {workspace_bytes(), impl_->device.number};
}

}  // namespace weft::cuda
