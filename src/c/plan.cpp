// SPDX-License-Identifier: BSD-3-Clause
// Plans of one process and wisdom, for C.
#include <algorithm>

#include "c/support.hpp"
#include "c/transform.hpp"
#include "weft/wisdom.hpp"

using namespace weft;
using namespace weft::c;

struct weft_plan {
  Plan plan;
};

namespace {

constexpr weft_plan_options default_options = {.struct_size = 0,
                                               .effort = WEFT_ESTIMATE,
                                               .threads = 1,
                                               .threading = WEFT_THREADS_DEFAULT,
                                               .run_tasks = nullptr,
                                               .run_context = nullptr,
                                               .time_limit_s = 10.0,
                                               .use_wisdom = 1,
                                               .recipe = nullptr,
                                               .in_place = 0,
                                               .input_storage = WEFT_INTERLEAVED,
                                               .output_storage = WEFT_INTERLEAVED};

weft_plan_options known_options(const weft_plan_options* structure) {
  return structure == nullptr ? default_options
                              : known_members(*structure, default_options, "weft_plan_options");
}

PlanOptions options_of(const weft_plan_options& o) {
  PlanOptions options;
  options.effort = effort_of(o.effort);
  options.threads = o.threads;
  options.executor = executor_of(o.threading, o.threads, o.run_tasks, o.run_context);
  options.time_limit_s = o.time_limit_s;
  options.use_wisdom = o.use_wisdom != 0;
  options.in_place = o.in_place != 0;
  if (o.recipe != nullptr) options.recipe = o.recipe;
  return options;
}

/// A side whose second pointer is null is not split.
template <class Real, class Complex>
void run_split(const Plan& plan, const void* in, const void* in_imag, void* out, void* out_imag,
               Workspace* workspace) {
  const auto execute = [&](const auto& from, const auto& to) {
    if (workspace != nullptr)
      plan.execute(from, to, *workspace);
    else
      plan.execute(from, to);
  };
  const SplitArray<const Real> split_in{static_cast<const Real*>(in),
                                        static_cast<const Real*>(in_imag)};
  const SplitArray<Real> split_out{static_cast<Real*>(out), static_cast<Real*>(out_imag)};
  const Kind kind = plan.transform().kind;
  if (in_imag != nullptr && out_imag != nullptr)
    execute(split_in, split_out);
  else if (in_imag != nullptr && kind == Kind::c2c)
    execute(split_in, static_cast<Complex*>(out));
  else if (in_imag != nullptr)
    execute(split_in, static_cast<Real*>(out));
  else if (kind == Kind::c2c)
    execute(static_cast<const Complex*>(in), split_out);
  else
    execute(static_cast<const Real*>(in), split_out);
}

std::string text_of(const Plan& plan, weft_text which) {
  switch (enumerator(which, WEFT_TEXT_EXPLAIN, "weft_text")) {
    case WEFT_TEXT_RECIPE: return plan.recipe();
    case WEFT_TEXT_TREE: return plan.tree();
    case WEFT_TEXT_FORMULA: return plan.formula();
    case WEFT_TEXT_LATEX: return plan.formula_latex();
    case WEFT_TEXT_EXPLAIN: break;
  }
  return plan.recipe() + "\n" + plan.tree();
}

std::string path_of(const char* path) { return &given(path, "the path"); }

}  // namespace

PlanOptions weft::c::plan_options_of(const weft_plan_options* options) {
  return options_of(known_options(options));
}

weft_status weft_plan_options_init(weft_plan_options* options, size_t struct_size) {
  return initialize(options, struct_size, default_options, "weft_plan_options");
}

weft_status weft_plan_create(weft_plan** plan, const weft_transform* transform,
                             const int64_t* input_strides, const int64_t* output_strides,
                             const weft_plan_options* options) {
  return create(plan, [&] {
    const Transform asked = transform_of(transform);
    const std::size_t ndim = asked.shape.size();
    const weft_plan_options o = known_options(options);
    return std::make_unique<weft_plan>(Plan(asked, layout_of(input_strides, ndim, o.input_storage),
                                            layout_of(output_strides, ndim, o.output_storage),
                                            options_of(o)));
  });
}
void weft_plan_destroy(weft_plan* plan) { delete plan; }

weft_status weft_execute(const weft_plan* handle, const void* in, void* out) {
  return guarded([&] {
    const Plan& plan = given(handle, "the plan").plan;
    with_elements(plan.transform(), in, out,
                  [&](const auto* from, auto* to) { plan.execute(from, to); });
  });
}
weft_status weft_execute_with(const weft_plan* handle, const void* in, void* out,
                              weft_workspace* workspace) {
  return guarded([&] {
    const Plan& plan = given(handle, "the plan").plan;
    Workspace& memory = given(workspace, "the workspace").workspace;
    with_elements(plan.transform(), in, out,
                  [&](const auto* from, auto* to) { plan.execute(from, to, memory); });
  });
}

weft_status weft_execute_split(const weft_plan* handle, const void* in, const void* in_imag,
                               void* out, void* out_imag, weft_workspace* workspace) {
  return guarded([&] {
    const Plan& plan = given(handle, "the plan").plan;
    Workspace* memory = workspace == nullptr ? nullptr : &workspace->workspace;
    if (in_imag == nullptr && out_imag == nullptr)
      refuse("neither side is split; call weft_execute()");
    switch (plan.transform().precision) {
      case Precision::f16:
        return run_split<Half, ComplexHalf>(plan, in, in_imag, out, out_imag, memory);
      case Precision::f32:
        return run_split<float, std::complex<float>>(plan, in, in_imag, out, out_imag, memory);
      case Precision::f64:
        return run_split<double, std::complex<double>>(plan, in, in_imag, out, out_imag, memory);
    }
  });
}

weft_status weft_plan_workspace_bytes(const weft_plan* plan, int64_t* bytes) {
  return guarded([&] {
    given(bytes, "bytes") = static_cast<int64_t>(given(plan, "the plan").plan.workspace_bytes());
  });
}
weft_status weft_workspace_create(weft_workspace** workspace, int64_t bytes) {
  return create(workspace, [&] {
    if (bytes < 0) refuse("a workspace of " + std::to_string(bytes) + " bytes");
    return std::make_unique<weft_workspace>(Workspace(static_cast<std::size_t>(bytes)));
  });
}
weft_status weft_workspace_from_memory(weft_workspace** workspace, void* memory, int64_t bytes) {
  return create(workspace, [&] {
    if (bytes < 0) refuse("a workspace of " + std::to_string(bytes) + " bytes");
    return std::make_unique<weft_workspace>(Workspace(memory, static_cast<std::size_t>(bytes)));
  });
}
void weft_workspace_destroy(weft_workspace* workspace) { delete workspace; }

weft_status weft_plan_layout(const weft_plan* handle, weft_side side, int* ndim, int64_t* shape,
                             int64_t* strides) {
  return guarded([&] {
    const Plan& plan = given(handle, "the plan").plan;
    const bool is_input = enumerator(side, WEFT_OUTPUT, "weft_side") == WEFT_INPUT;
    const std::vector<Index> extents = is_input ? plan.input_shape() : plan.output_shape();
    const std::vector<Index>& steps = is_input ? plan.input_strides() : plan.output_strides();
    given(ndim, "ndim") = static_cast<int>(extents.size());
    if (shape != nullptr) std::ranges::copy(extents, shape);
    if (strides != nullptr) std::ranges::copy(steps, strides);
  });
}

weft_status weft_plan_text(const weft_plan* plan, weft_text which, char** text) {
  return guarded([&] { put_text(text, text_of(given(plan, "the plan").plan, which)); });
}
weft_status weft_plan_get_cost(const weft_plan* plan, weft_plan_cost* cost) {
  return guarded([&] { given(cost, "cost") = cost_of(given(plan, "the plan").plan.cost()); });
}

weft_status weft_wisdom_load(const char* path) {
  return guarded([&] { wisdom::load(path_of(path)); });
}
weft_status weft_wisdom_save(const char* path) {
  return guarded([&] { wisdom::save(path_of(path)); });
}
weft_status weft_wisdom_to_text(char** text) {
  return guarded([&] { put_text(text, wisdom::to_string()); });
}
weft_status weft_wisdom_from_text(const char* text) {
  return guarded([&] { wisdom::from_string(&given(text, "the text")); });
}
weft_status weft_wisdom_gather(const weft_comm* comm) {
  return guarded([&] { wisdom::gather(*given(comm, "the communicator").comm); });
}
weft_status weft_wisdom_load_default(void) {
  return guarded([&] {
    const std::string problem = wisdom::load_default();
    if (!problem.empty()) throw Error(ErrorCode::wisdom, problem);
  });
}
weft_status weft_wisdom_default_path(char** path) {
  return guarded([&] { put_text(path, wisdom::default_path()); });
}
void weft_wisdom_forget(void) {
  guarded([] { wisdom::forget(); });
}
int64_t weft_wisdom_size(void) {
  int64_t size = -1;
  guarded([&] { size = static_cast<int64_t>(wisdom::size()); });
  return size;
}
