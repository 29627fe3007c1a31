// SPDX-License-Identifier: BSD-3-Clause
// Operators on GPUs whose function is text, for C.
#include "c/cuda.hpp"
#include "c/operator.hpp"
#include "weft/spectral_cuda.hpp"

using namespace weft::c;

struct weft_cuda_operator {
  weft::cuda::SpectralOperator op;
  weft::Precision precision;
  bool is_complex;
  int inputs, outputs;
};

weft_status weft_cuda_operator_create(weft_cuda_operator** op, const weft_transform* transform,
                                      const char* function, const weft_operator_options* options,
                                      const weft_cuda_options* cuda_options) {
  return create(op, [&] {
    const OperatorRequest request = operator_request(transform, function, options);
    const weft::cuda::PlanOptions plan = cuda_options_of(cuda_options);
    return std::make_unique<weft_cuda_operator>(
        weft_cuda_operator{weft::cuda::SpectralOperator(request.transform, request.function,
                                                        {.device = plan.device,
                                                         .effort = plan.effort,
                                                         .time_limit_s = plan.time_limit_s,
                                                         .use_wisdom = plan.use_wisdom,
                                                         .workspace_limit = plan.workspace_limit,
                                                         .recipe = plan.recipe,
                                                         .lengths = request.lengths}),
                           request.transform.precision, request.transform.kind == weft::Kind::c2c,
                           request.function.inputs(), request.function.outputs()});
  });
}
void weft_cuda_operator_destroy(weft_cuda_operator* op) { delete op; }

weft_status weft_cuda_operator_execute(const weft_cuda_operator* handle, const void* const* in,
                                       void* const* out, weft_cuda_workspace* workspace,
                                       void* stream) {
  return guarded([&] {
    const weft_cuda_operator& op = given(handle, "the operator");
    weft::cuda::Workspace& memory = given(workspace, "the workspace").workspace;
    with_field_type(op.precision, op.is_complex, [&]<class T>(T*) {
      const std::span from(reinterpret_cast<const T* const*>(&given(in, "in")),
                           static_cast<std::size_t>(op.inputs));
      const std::span to(reinterpret_cast<T* const*>(&given(out, "out")),
                         static_cast<std::size_t>(op.outputs));
      op.op.execute(from, to, memory, weft::cuda::Stream(stream));
    });
  });
}
weft_status weft_cuda_operator_fields(const weft_cuda_operator* handle, int* inputs, int* outputs) {
  return guarded([&] {
    const weft_cuda_operator& op = given(handle, "the operator");
    given(inputs, "inputs") = op.inputs;
    given(outputs, "outputs") = op.outputs;
  });
}
weft_status weft_cuda_operator_workspace_bytes(const weft_cuda_operator* op, int64_t* bytes) {
  return guarded([&] {
    given(bytes, "bytes") = static_cast<int64_t>(given(op, "the operator").op.workspace_bytes());
  });
}
weft_status weft_cuda_operator_text(const weft_cuda_operator* op, weft_text which, char** text) {
  return guarded([&] {
    const weft::cuda::SpectralOperator& own = given(op, "the operator").op;
    put_recipe_or_explanation(own, which, text);
  });
}
