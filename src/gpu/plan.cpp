// SPDX-License-Identifier: BSD-3-Clause
// The public plan for GPUs: check the request, choose a recipe, build it. Execution checks pointers
// and launches.
#include <cstdint>

#include "base/format.hpp"
#include "gpu/choose/choose.hpp"
#include "gpu/device/arguments.hpp"
#include "gpu/device/compiler.hpp"
#include "gpu/device/numbers.hpp"
#include "gpu/device/transform_engine.hpp"
#include "gpu/recipe/problem.hpp"
#include "problem/overlap.hpp"
#include "problem/request.hpp"
#include "weft/cuda.hpp"

namespace weft::cuda {
namespace {

constexpr std::uintptr_t workspace_alignment = 256;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

}  // namespace

bool is_available() noexcept {
  try {
    return gpu::device_count() > 0 && gpu::has_nvrtc();
  } catch (...) {
    return false;
  }
}

std::string device_name(int device) { return gpu::device(device).name; }

struct Workspace::Impl {
  gpu::DeviceMemory memory;  ///< none where the memory is the caller's
  void* data = nullptr;
  std::size_t bytes = 0;
};

Workspace::Workspace(std::size_t bytes, int device) : impl_(std::make_unique<Impl>()) {
  const gpu::UseDevice use(gpu::device(device));
  impl_->memory = gpu::DeviceMemory(bytes);
  impl_->data = impl_->memory.data();
  impl_->bytes = bytes;
}
Workspace::Workspace(void* device_memory, std::size_t bytes) : impl_(std::make_unique<Impl>()) {
  if (device_memory == nullptr && bytes > 0)
    refuse("a null pointer was passed as the memory of a workspace; pass device memory");
  if (reinterpret_cast<std::uintptr_t>(device_memory) % workspace_alignment != 0)
    refuse(weft::format("the memory of a workspace must be aligned to {} bytes, as cudaMalloc does",
                        workspace_alignment));
  impl_->data = device_memory;
  impl_->bytes = bytes;
}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
std::size_t Workspace::bytes() const noexcept { return impl_ ? impl_->bytes : 0; }
void* Workspace::data() const noexcept { return impl_ ? impl_->data : nullptr; }

struct Plan::Impl {
  problem::CheckedRequest request;
  std::vector<Index> in_shape, out_shape;
  const gpu::GpuDevice& device;
  gpu::TransformRecipe recipe;
  gpu::TransformEngine engine;

  static problem::CheckedRequest checked(const Transform& transform, const Layout& input,
                                         const Layout& output, const PlanOptions& options) {
    problem::check_effort(options.effort);
    auto request = problem::check_request(transform, input, output);
    problem::require_common(request.problem, "weft::cuda::Plan");
    gpu::check_problem(request.problem);
    if (request.problem.axes.empty())
      throw Error(ErrorCode::unsupported,
                  "a transform without axes was asked of weft::cuda::Plan; copy the array by "
                  "cudaMemcpyAsync, or list an axis");
    return request;
  }

  Impl(const Transform& transform, const Layout& input, const Layout& output,
       const PlanOptions& options)
      : request(checked(transform, input, output, options)),
        device(gpu::device(options.device)),
        recipe(gpu::choose_recipe(request.problem, device, options)),
        engine(recipe, request.problem, device) {
    in_shape = request.problem.in_shape();
    out_shape = request.problem.out_shape();
  }

  void check_memory(const void* in, const void* out) const {
    if (in == nullptr || out == nullptr)
      refuse("a null pointer was passed as an array; pass allocated device memory");
    const auto bytes = static_cast<std::uintptr_t>(gpu::stored_bytes(request.transform.precision));
    const bool in_complex = request.problem.in_width() == 2;
    const bool out_complex = request.problem.out_width() == 2;
    if (reinterpret_cast<std::uintptr_t>(in) % (in_complex ? bytes : bytes / 2) != 0 ||
        reinterpret_cast<std::uintptr_t>(out) % (out_complex ? bytes : bytes / 2) != 0)
      refuse(
          weft::format("an array is not aligned to its elements; align complex arrays to {} "
                       "bytes, real ones to {}",
                       bytes, bytes / 2));
    if (problem::overlap_harmfully(request.problem, in, out))
      refuse(
          "input and output share memory without being the same array; make them identical "
          "(same pointer and strides; r2c and c2r in place need padded rows) or disjoint");
    gpu::check_on_device(in, device.number, "input");
    if (out != in) gpu::check_on_device(out, device.number, "output");
  }
};

Plan::Plan(const Transform& transform, const Layout& input, const Layout& output,
           const PlanOptions& options)
    : impl_(std::make_unique<Impl>(transform, input, output, options)) {}
Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;

void Plan::check_view(std::span<const Index> extents, std::span<const Index> strides,
                      bool is_input) const {
  problem::check_view(extents, strides, is_input ? impl_->in_shape : impl_->out_shape,
                      is_input ? impl_->request.in_strides : impl_->request.out_strides,
                      is_input ? "input" : "output");
}

void Plan::run(Precision in_precision, bool in_complex, const void* in, Precision out_precision,
               bool out_complex, void* out, Workspace& workspace, Stream stream) const {
  const auto& problem = impl_->request.problem;
  const Precision precision = impl_->request.transform.precision;
  gpu::check_elements({precision, problem.in_width() == 2}, {in_precision, in_complex}, "input");
  gpu::check_elements({precision, problem.out_width() == 2}, {out_precision, out_complex},
                      "output");
  impl_->check_memory(in, out);
  if (workspace.bytes() < workspace_bytes())
    refuse(
        weft::format("the workspace has {} bytes, the plan needs {}; make it with "
                     "plan.make_workspace()",
                     workspace.bytes(), workspace_bytes()));
  if (workspace_bytes() > 0)
    gpu::check_on_device(workspace.data(), impl_->device.number, "workspace");
  const gpu::UseDevice use(impl_->device);
  impl_->engine.run(in, out, workspace.data(), problem.scale, stream.handle);
}

std::size_t Plan::workspace_bytes() const { return impl_->engine.workspace_bytes(); }
Workspace Plan::make_workspace() const { return {workspace_bytes(), impl_->device.number}; }
const Transform& Plan::transform() const { return impl_->request.transform; }
int Plan::device() const { return impl_->device.number; }
std::string Plan::recipe() const { return gpu::to_text(impl_->recipe, impl_->request.problem); }
std::string Plan::explain() const {
  return gpu::explain(impl_->recipe, impl_->request.problem, gpu::numbers_of(impl_->device));
}

PlanCost Plan::cost() const {
  const gpu::TransformCost cost =
      gpu::cost_of(impl_->recipe, impl_->request.problem, gpu::numbers_of(impl_->device));
  PlanCost result;
  result.bytes = cost.bytes;
  result.passes = cost.passes;
  result.predicted_s = cost.seconds;
  return result;
}

}  // namespace weft::cuda
