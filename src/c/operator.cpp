// SPDX-License-Identifier: BSD-3-Clause
// Operators whose function is text, for C.
#include "c/operator.hpp"

#include "c/transform.hpp"
#include "weft/spectral_expression.hpp"

using namespace weft;
using namespace weft::c;

struct weft_operator {
  SpectralOperator op;
  Precision precision;
  bool is_complex;
  int inputs, outputs;
};

namespace {

constexpr weft_operator_options default_options = {
    .struct_size = 0, .lengths = nullptr, .inputs = 0, .x_is_last = 0};

SpectralOptions spectral_options(const weft_plan_options* plan_options) {
  const PlanOptions plan = plan_options_of(plan_options);
  if (!plan.recipe.empty()) refuse("an operator takes no recipe; leave it out");
  return {.effort = plan.effort,
          .threads = plan.threads,
          .executor = plan.executor,
          .time_limit_s = plan.time_limit_s,
          .use_wisdom = plan.use_wisdom};
}

template <class T>
void run(const weft_operator& op, const void* const* in, void* const* out, Workspace& workspace) {
  const auto from = list<const T*>(reinterpret_cast<const T* const*>(in), op.inputs, "in");
  const auto to = list<T*>(reinterpret_cast<T* const*>(out), op.outputs, "out");
  op.op.execute(std::span<const T* const>(from), std::span<T* const>(to), workspace);
}

void run_any(const weft_operator& op, const void* const* in, void* const* out,
             Workspace& workspace) {
  with_field_type(op.precision, op.is_complex,
                  [&]<class T>(T*) { run<T>(op, in, out, workspace); });
}

}  // namespace

OperatorRequest weft::c::operator_request(const weft_transform* transform, const char* function,
                                          const weft_operator_options* options) {
  const Transform asked = transform_of(transform);
  const weft_operator_options o =
      options == nullptr ? default_options
                         : known_members(*options, default_options, "weft_operator_options");
  const bool has_all = asked.axes.empty() && asked.empty_axes == EmptyAxes::all;
  const int axes = static_cast<int>(has_all ? asked.shape.size() : asked.axes.size());
  return {asked,
          spectral::expression(&given(function, "the function"),
                               {.inputs = o.inputs, .reversed_axes = o.x_is_last != 0 ? axes : 0}),
          optional_list<double>(o.lengths, axes)};
}

weft_status weft_operator_options_init(weft_operator_options* options, size_t struct_size) {
  return initialize(options, struct_size, default_options, "weft_operator_options");
}

weft_status weft_operator_create(weft_operator** op, const weft_transform* transform,
                                 const char* function, const weft_operator_options* options,
                                 const weft_plan_options* plan_options) {
  return create(op, [&] {
    const OperatorRequest request = operator_request(transform, function, options);
    SpectralOptions spectral = spectral_options(plan_options);
    spectral.lengths = request.lengths;
    return std::make_unique<weft_operator>(
        weft_operator{SpectralOperator(request.transform, request.function, spectral),
                      request.transform.precision, request.transform.kind == Kind::c2c,
                      request.function.inputs(), request.function.outputs()});
  });
}
void weft_operator_destroy(weft_operator* op) { delete op; }

weft_status weft_operator_execute(const weft_operator* handle, const void* const* in,
                                  void* const* out, weft_workspace* workspace) {
  return guarded([&] {
    const weft_operator& op = given(handle, "the operator");
    if (workspace != nullptr) return run_any(op, in, out, workspace->workspace);
    Workspace own = op.op.make_workspace();
    run_any(op, in, out, own);
  });
}

weft_status weft_operator_fields(const weft_operator* handle, int* inputs, int* outputs) {
  return guarded([&] {
    const weft_operator& op = given(handle, "the operator");
    given(inputs, "inputs") = op.inputs;
    given(outputs, "outputs") = op.outputs;
  });
}
weft_status weft_operator_workspace_bytes(const weft_operator* op, int64_t* bytes) {
  return guarded([&] {
    given(bytes, "bytes") = static_cast<int64_t>(given(op, "the operator").op.workspace_bytes());
  });
}
weft_status weft_operator_explain(const weft_operator* op, char** text) {
  return guarded([&] { put_text(text, given(op, "the operator").op.explain()); });
}
