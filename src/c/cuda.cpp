// SPDX-License-Identifier: BSD-3-Clause
// Plans for GPUs, for C.
#include "c/cuda.hpp"

#include "c/transform.hpp"

using namespace weft::c;

struct weft_cuda_plan {
  weft::cuda::Plan plan;
};

namespace {

constexpr weft_cuda_options default_options = {.struct_size = 0,
                                               .device = 0,
                                               .effort = WEFT_ESTIMATE,
                                               .time_limit_s = 10.0,
                                               .use_wisdom = 1,
                                               .workspace_limit = -1,
                                               .recipe = nullptr};

const weft::cuda::Plan& plan_of(const weft_cuda_plan* plan) { return given(plan, "the plan").plan; }

}  // namespace

weft::cuda::PlanOptions weft::c::cuda_options_of(const weft_cuda_options* structure) {
  if (structure == nullptr) return {};
  const weft_cuda_options o = known_members(*structure, default_options, "weft_cuda_options");
  weft::cuda::PlanOptions options;
  options.device = o.device;
  options.effort = effort_of(o.effort);
  options.time_limit_s = o.time_limit_s;
  options.use_wisdom = o.use_wisdom != 0;
  if (o.workspace_limit >= 0) options.workspace_limit = static_cast<std::size_t>(o.workspace_limit);
  if (o.recipe != nullptr) options.recipe = o.recipe;
  return options;
}

weft_status weft_cuda_options_init(weft_cuda_options* options, size_t struct_size) {
  return initialize(options, struct_size, default_options, "weft_cuda_options");
}

int weft_cuda_is_available(void) { return weft::cuda::is_available() ? 1 : 0; }
weft_status weft_cuda_device_name(int device, char** name) {
  return guarded([&] { put_text(name, weft::cuda::device_name(device)); });
}

weft_status weft_cuda_plan_create(weft_cuda_plan** plan, const weft_transform* transform,
                                  const int64_t* input_strides, const int64_t* output_strides,
                                  const weft_cuda_options* options) {
  return create(plan, [&] {
    const weft::Transform asked = transform_of(transform);
    const std::size_t ndim = asked.shape.size();
    return std::make_unique<weft_cuda_plan>(weft::cuda::Plan(asked, layout_of(input_strides, ndim),
                                                             layout_of(output_strides, ndim),
                                                             cuda_options_of(options)));
  });
}
void weft_cuda_plan_destroy(weft_cuda_plan* plan) { delete plan; }

weft_status weft_cuda_execute(const weft_cuda_plan* handle, const void* in, void* out,
                              weft_cuda_workspace* workspace, void* stream) {
  return guarded([&] {
    const weft::cuda::Plan& plan = plan_of(handle);
    weft::cuda::Workspace& memory = given(workspace, "the workspace").workspace;
    with_elements(plan.transform(), in, out, [&](const auto* from, auto* to) {
      plan.execute(from, to, memory, weft::cuda::Stream(stream));
    });
  });
}
weft_status weft_cuda_plan_workspace_bytes(const weft_cuda_plan* plan, int64_t* bytes) {
  return guarded(
      [&] { given(bytes, "bytes") = static_cast<int64_t>(plan_of(plan).workspace_bytes()); });
}
weft_status weft_cuda_plan_device(const weft_cuda_plan* plan, int* device) {
  return guarded([&] { given(device, "device") = plan_of(plan).device(); });
}
weft_status weft_cuda_plan_text(const weft_cuda_plan* plan, weft_text which, char** text) {
  return guarded([&] { put_recipe_or_explanation(plan_of(plan), which, text); });
}
weft_status weft_cuda_plan_get_cost(const weft_cuda_plan* plan, weft_plan_cost* cost) {
  return guarded([&] { given(cost, "cost") = cost_of(plan_of(plan).cost()); });
}

weft_status weft_cuda_workspace_create(weft_cuda_workspace** workspace, int64_t bytes, int device) {
  return create(workspace, [&] {
    if (bytes < 0) refuse("a workspace of " + std::to_string(bytes) + " bytes");
    return std::make_unique<weft_cuda_workspace>(
        weft::cuda::Workspace(static_cast<std::size_t>(bytes), device));
  });
}
weft_status weft_cuda_workspace_from_memory(weft_cuda_workspace** workspace, void* device_memory,
                                            int64_t bytes) {
  return create(workspace, [&] {
    if (bytes < 0) refuse("a workspace of " + std::to_string(bytes) + " bytes");
    return std::make_unique<weft_cuda_workspace>(
        weft::cuda::Workspace(device_memory, static_cast<std::size_t>(bytes)));
  });
}
void weft_cuda_workspace_destroy(weft_cuda_workspace* workspace) { delete workspace; }
