// SPDX-License-Identifier: BSD-3-Clause
// Settings of plans, executing them, versions, and the functions that only cuFFT has.
#include "dropins/cufft/interface.hpp"

namespace weft::cufft {
namespace {

Result execute(Handle handle, const void* in, void* out, int sign, std::optional<TypePair> type) {
  return with_handle(handle, [&](HandlePlan& plan) { return plan.execute(in, out, sign, type); });
}

/// Without cuFFT: the version whose interface this is.
constexpr int interface_version = 12000;

}  // namespace
}  // namespace weft::cufft

using namespace weft::cufft;  // NOLINT: this file has nothing but the interface below
using weft::Kind;
using weft::Precision;

WEFT_CUFFT_API int cufftSetStream(Handle plan, void* stream) {
  return with_handle(plan, [&](HandlePlan& p) { return p.set_stream(stream); });
}
WEFT_CUFFT_API int cufftSetWorkArea(Handle plan, void* memory) {
  return with_handle(plan, [&](HandlePlan& p) { return p.set_work_area(memory); });
}
WEFT_CUFFT_API int cufftSetAutoAllocation(Handle plan, int is_on) {
  return with_handle(plan, [&](HandlePlan& p) { return p.set_auto_allocation(is_on != 0); });
}

WEFT_CUFFT_API int cufftExecC2C(Handle plan, void* in, void* out, int direction) {
  return execute(plan, in, out, direction, TypePair{Kind::c2c, Precision::f32});
}
WEFT_CUFFT_API int cufftExecR2C(Handle plan, void* in, void* out) {
  return execute(plan, in, out, forward_sign, TypePair{Kind::r2c, Precision::f32});
}
WEFT_CUFFT_API int cufftExecC2R(Handle plan, void* in, void* out) {
  return execute(plan, in, out, inverse_sign, TypePair{Kind::c2r, Precision::f32});
}
WEFT_CUFFT_API int cufftExecZ2Z(Handle plan, void* in, void* out, int direction) {
  return execute(plan, in, out, direction, TypePair{Kind::c2c, Precision::f64});
}
WEFT_CUFFT_API int cufftExecD2Z(Handle plan, void* in, void* out) {
  return execute(plan, in, out, forward_sign, TypePair{Kind::r2c, Precision::f64});
}
WEFT_CUFFT_API int cufftExecZ2D(Handle plan, void* in, void* out) {
  return execute(plan, in, out, inverse_sign, TypePair{Kind::c2r, Precision::f64});
}
WEFT_CUFFT_API int cufftXtExec(Handle plan, void* in, void* out, int direction) {
  return execute(plan, in, out, direction, {});
}

WEFT_CUFFT_API int cufftGetVersion(int* version) {
  if (version == nullptr) return invalid_value;
  if (has_cufft()) return call_cufft("cufftGetVersion", version);
  *version = interface_version;
  return success;
}
WEFT_CUFFT_API int cufftGetProperty(int type, int* value) {
  if (value == nullptr || type < 0 || type > 2) return invalid_value;
  if (has_cufft()) return call_cufft("cufftGetProperty", type, value);
  const int parts[] = {interface_version / 1000, interface_version % 1000 / 100,
                       interface_version % 100};
  *value = parts[type];
  return success;
}

/// One GPU is the plan's; several are for cuFFT.
WEFT_CUFFT_API int cufftXtSetGPUs(Handle plan, int count, int* which) {
  if (count < 1 || which == nullptr) return invalid_value;
  if (count > 1) return in_cufft("cufftXtSetGPUs", plan, count, which);
  return with_handle(plan, [&](HandlePlan& p) { return p.set_device(which[0]); });
}

// Callbacks, plans over several GPUs, properties of cuFFT's planner.
WEFT_CUFFT_API int cufftXtSetCallback(Handle plan, void** routine, int type, void** info) {
  return in_cufft("cufftXtSetCallback", plan, routine, type, info);
}
WEFT_CUFFT_API int cufftXtSetJITCallback(Handle plan, const char* name, const void* code,
                                         Size bytes, int type, void** info) {
  return in_cufft("cufftXtSetJITCallback", plan, name, code, bytes, type, info);
}
WEFT_CUFFT_API int cufftXtClearCallback(Handle plan, int type) {
  return in_cufft("cufftXtClearCallback", plan, type);
}
WEFT_CUFFT_API int cufftXtSetCallbackSharedSize(Handle plan, int type, Size bytes) {
  return in_cufft("cufftXtSetCallbackSharedSize", plan, type, bytes);
}
WEFT_CUFFT_API int cufftXtMalloc(Handle plan, void** descriptor, int format) {
  return in_cufft("cufftXtMalloc", plan, descriptor, format);
}
WEFT_CUFFT_API int cufftXtMemcpy(Handle plan, void* to, void* from, int type) {
  return in_cufft("cufftXtMemcpy", plan, to, from, type);
}
WEFT_CUFFT_API int cufftXtFree(void* descriptor) { return call_cufft("cufftXtFree", descriptor); }
WEFT_CUFFT_API int cufftXtSetWorkArea(Handle plan, void** areas) {
  return in_cufft("cufftXtSetWorkArea", plan, areas);
}
WEFT_CUFFT_API int cufftXtSetWorkAreaPolicy(Handle plan, int policy, Size* bytes) {
  return in_cufft("cufftXtSetWorkAreaPolicy", plan, policy, bytes);
}
WEFT_CUFFT_API int cufftXtQueryPlan(Handle plan, void* query, int type) {
  return in_cufft("cufftXtQueryPlan", plan, query, type);
}
WEFT_CUFFT_API int cufftXtExecDescriptor(Handle plan, void* in, void* out, int direction) {
  return execute_in_cufft("cufftXtExecDescriptor", plan, in, out, direction);
}
WEFT_CUFFT_API int cufftXtExecDescriptorC2C(Handle plan, void* in, void* out, int direction) {
  return execute_in_cufft("cufftXtExecDescriptorC2C", plan, in, out, direction);
}
WEFT_CUFFT_API int cufftXtExecDescriptorZ2Z(Handle plan, void* in, void* out, int direction) {
  return execute_in_cufft("cufftXtExecDescriptorZ2Z", plan, in, out, direction);
}
WEFT_CUFFT_API int cufftXtExecDescriptorR2C(Handle plan, void* in, void* out) {
  return execute_in_cufft("cufftXtExecDescriptorR2C", plan, in, out);
}
WEFT_CUFFT_API int cufftXtExecDescriptorC2R(Handle plan, void* in, void* out) {
  return execute_in_cufft("cufftXtExecDescriptorC2R", plan, in, out);
}
WEFT_CUFFT_API int cufftXtExecDescriptorD2Z(Handle plan, void* in, void* out) {
  return execute_in_cufft("cufftXtExecDescriptorD2Z", plan, in, out);
}
WEFT_CUFFT_API int cufftXtExecDescriptorZ2D(Handle plan, void* in, void* out) {
  return execute_in_cufft("cufftXtExecDescriptorZ2D", plan, in, out);
}
WEFT_CUFFT_API int cufftSetPlanPropertyInt64(Handle plan, int property, Long value) {
  return in_cufft("cufftSetPlanPropertyInt64", plan, property, value);
}
WEFT_CUFFT_API int cufftGetPlanPropertyInt64(Handle plan, int property, Long* value) {
  return in_cufft("cufftGetPlanPropertyInt64", plan, property, value);
}
WEFT_CUFFT_API int cufftResetPlanProperty(Handle plan, int property) {
  return in_cufft("cufftResetPlanProperty", plan, property);
}
