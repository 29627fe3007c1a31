// SPDX-License-Identifier: BSD-3-Clause
// The public plan for GPUs: check the request, choose a recipe, build it. Execution checks pointers
// and launches.
#include <fmt/format.h>

#include <cstdint>

#include "api/problem.hpp"
#include "gpu/compiler.hpp"
#include "gpu/engine.hpp"
#include "gpu/line_pass.hpp"
#include "gpu/problem.hpp"
#include "gpu/tuner.hpp"
#include "weft/cuda.hpp"

namespace weft::cuda {
namespace {

constexpr const char* precisions[] = {"f16", "f32", "f64"};

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

/// Host memory, or memory of another GPU, must not reach a kernel.
void check_on_device(const void* pointer, int device, const char* side) {
  constexpr int memory_type = 2, device_number = 9, host = 1;
  const auto address = reinterpret_cast<gpu::DevicePointer>(pointer);
  unsigned type = 0;
  if (gpu::driver().pointer_attribute(&type, memory_type, address) != 0 || type == host)
    refuse(
        fmt::format("the {} array is in host memory; a GPU plan needs device memory: copy it "
                    "there first",
                    side));
  int owner = device;
  if (gpu::driver().pointer_attribute(&owner, device_number, address) == 0 && owner != device)
    refuse(
        fmt::format("the {} array is on GPU {}, the plan on GPU {}; plan with "
                    "PlanOptions::device = {}",
                    side, owner, device, owner));
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

  void check_elements(Precision precision, bool is_complex, bool wanted_complex,
                      const char* side) const {
    const Precision wanted = request.transform.precision;
    if (precision == wanted && is_complex == wanted_complex) return;
    refuse(
        fmt::format("the plan's {} is {} {}, the array given is {} {}; pass arrays of the "
                    "planned type or plan for this one",
                    side, wanted_complex ? "complex" : "real", precisions[static_cast<int>(wanted)],
                    is_complex ? "complex" : "real", precisions[static_cast<int>(precision)]));
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
          fmt::format("an array is not aligned to its elements; align complex arrays to {} "
                      "bytes, real ones to {}",
                      bytes, bytes / 2));
    if (api::overlap_harmfully(request.problem, in, out))
      refuse(
          "input and output share memory without being the same array; make them identical "
          "(same pointer and strides; r2c and c2r in place need padded rows) or disjoint");
    check_on_device(in, device.number, "input");
    if (out != in) check_on_device(out, device.number, "output");
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
  const auto& wanted = is_input ? impl_->request.in_strides : impl_->request.out_strides;
  bool same = extents.size() == wanted.size();
  for (std::size_t d = 0; same && d < extents.size(); ++d) {
    const int axis = static_cast<int>(d);
    same = extents[d] == (is_input ? problem.in_extent(axis) : problem.out_extent(axis)) &&
           (strides[d] == wanted[d] || extents[d] == 1);
  }
  if (!same)
    refuse(
        fmt::format("the {} view has other extents or strides than the plan; pass the view's "
                    "strides as the plan's Layout",
                    is_input ? "input" : "output"));
}

void Plan::run(Precision in_precision, bool in_complex, const void* in, Precision out_precision,
               bool out_complex, void* out, Workspace& workspace, Stream stream) const {
  const auto& problem = impl_->request.problem;
  impl_->check_elements(in_precision, in_complex, problem.in_width() == 2, "input");
  impl_->check_elements(out_precision, out_complex, problem.out_width() == 2, "output");
  impl_->check_memory(in, out);
  if (workspace.bytes() < workspace_bytes())
    refuse(
        fmt::format("the workspace has {} bytes, the plan needs {}; make it with "
                    "plan.make_workspace()",
                    workspace.bytes(), workspace_bytes()));
  if (workspace_bytes() > 0) check_on_device(workspace.data(), impl_->device.number, "workspace");
  const gpu::UseDevice use(impl_->device);
  impl_->engine.run(in, out, workspace.data(), problem.scale, stream);
}

std::size_t Plan::workspace_bytes() const noexcept { return impl_->engine.workspace_bytes(); }
Workspace Plan::make_workspace() const {
  return Workspace(workspace_bytes(), impl_->device.number);
}
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
