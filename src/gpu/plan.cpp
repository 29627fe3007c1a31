// SPDX-License-Identifier: BSD-3-Clause
// The public plan for GPUs: check the request, choose a recipe, build it. Execution checks pointers
// and launches.
#include <cstdint>

#include "api/problem.hpp"
#include "base/format.hpp"
#include "gpu/arrays.hpp"
#include "gpu/compiler.hpp"
#include "gpu/engine.hpp"
#include "gpu/line_pass.hpp"
#include "gpu/problem.hpp"
#include "gpu/tuner.hpp"
#include "weft/cuda.hpp"

namespace weft::cuda {
namespace {

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
  gpu::DeviceMemory memory;
};

Workspace::Workspace(std::size_t bytes, int device) : impl_(std::make_unique<Impl>()) {
  const gpu::UseDevice use(gpu::device(device));
  impl_->memory = gpu::DeviceMemory(bytes);
}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
std::size_t Workspace::bytes() const noexcept { return impl_->memory.bytes(); }
void* Workspace::data() const noexcept { return impl_->memory.data(); }

struct Plan::Impl {
  api::CheckedRequest request;
  const gpu::Device& device;
  gpu::Recipe recipe;
  gpu::Engine engine;

  Impl(const Transform& transform, const Layout& input, const Layout& output,
       const PlanOptions& options)
      : request(api::check_request(transform, input, output)),
        device(gpu::device(options.device)),
        recipe(gpu::choose_recipe(gpu::problem_of(request.problem), device, options)),
        engine(recipe, device) {}

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
    if (api::overlap_harmfully(request.problem, in, out))
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
  const auto& problem = impl_->request.problem;
  std::vector<Index> planned;
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d)
    planned.push_back(is_input ? problem.in_extent(d) : problem.out_extent(d));
  api::check_view(extents, strides, planned,
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
  impl_->engine.run(in, out, workspace.data(), problem.scale, stream);
}

std::size_t Plan::workspace_bytes() const noexcept { return impl_->engine.workspace_bytes(); }
Workspace Plan::make_workspace() const { return {workspace_bytes(), impl_->device.number}; }
const Transform& Plan::transform() const noexcept { return impl_->request.transform; }
int Plan::device() const noexcept { return impl_->device.number; }
std::string Plan::recipe() const { return gpu::to_text(impl_->recipe); }
std::string Plan::explain() const { return gpu::explain(impl_->recipe); }

PlanCost Plan::cost() const {
  PlanCost cost;
  for (const gpu::Step& step : impl_->recipe.steps) cost.bytes += gpu::bytes_of(step.pass);
  cost.passes = static_cast<double>(impl_->recipe.steps.size());
  cost.predicted_s = gpu::predicted_seconds(impl_->recipe);
  return cost;
}

}  // namespace weft::cuda
