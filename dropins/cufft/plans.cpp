// SPDX-License-Identifier: BSD-3-Clause
// Making plans: cufftCreate, cufftPlan*, cufftMakePlan*, sizes of work areas.
#include "dropins/cufft/interface.hpp"

namespace weft::cufft {
namespace {

template <class Number>
Result make_many(Handle handle, const Many<Number>& many, const std::optional<DataTypes>& types,
                 Size* work_size) noexcept {
  if (!types) return invalid_type;
  if (work_size == nullptr) return invalid_value;
  return with_handle(handle, [&](HandlePlan& plan) {
    const Request request = request_of(many, *types);
    if (request.is_for_cufft && !has_cufft()) return invalid_type;
    return plan.make(request, work_size);
  });
}

/// Contiguous arrays.
Result make_simple(Handle handle, int rank, int* n, int type, int batch, Size* size) noexcept {
  return make_many<int>(handle, {rank, n, nullptr, 1, 0, nullptr, 1, 0, batch}, parse_type(type),
                        size);
}

/// A handle with a plan, or none.
template <class Make>
Result new_plan(Handle* handle, const Make& make) noexcept {
  if (handle == nullptr) return invalid_plan;
  try {
    const Handle added = add_handle();
    Size bytes = 0;
    const Result result = make(added, &bytes);
    if (result == success)
      *handle = added;
    else
      remove_handle(added);
    return result;
  } catch (...) {
    return alloc_failed;
  }
}

/// The work area of a plan that is not kept.
template <class Make>
int size_of(Size* work_size, const Make& make) noexcept {
  if (work_size == nullptr) return invalid_value;
  try {
    const Handle handle = add_handle();
    with_handle(handle, [](HandlePlan& plan) { return plan.set_auto_allocation(false); });
    const int result = make(handle, work_size);
    remove_handle(handle);
    return result;
  } catch (...) {
    return alloc_failed;
  }
}

/// The array itself: an upper bound for what most plans need.
Result estimate(const Many<int>& many, int type, Size* work_size) noexcept {
  const auto types = parse_type(type);
  if (!types) return invalid_type;
  if (work_size == nullptr) return invalid_value;
  try {
    const Request request = request_of(many, *types);
    if (const Result result = check(request); result != success) return result;
    *work_size = array_bytes(request);
    return success;
  } catch (...) {
    return alloc_failed;
  }
}

}  // namespace
}  // namespace weft::cufft

using namespace weft::cufft;  // NOLINT: this file has nothing but the interface below

WEFT_CUFFT_API int cufftCreate(Handle* handle) {
  if (handle == nullptr) return invalid_plan;
  try {
    *handle = add_handle();
    return success;
  } catch (...) {
    return alloc_failed;
  }
}
WEFT_CUFFT_API int cufftDestroy(Handle plan) {
  return remove_handle(plan) ? success : invalid_plan;
}

WEFT_CUFFT_API int cufftMakePlan1d(Handle plan, int nx, int type, int batch, Size* work_size) {
  return make_simple(plan, 1, &nx, type, batch, work_size);
}
WEFT_CUFFT_API int cufftMakePlan2d(Handle plan, int nx, int ny, int type, Size* work_size) {
  int n[] = {nx, ny};
  return make_simple(plan, 2, n, type, 1, work_size);
}
WEFT_CUFFT_API int cufftMakePlan3d(Handle plan, int nx, int ny, int nz, int type, Size* work_size) {
  int n[] = {nx, ny, nz};
  return make_simple(plan, 3, n, type, 1, work_size);
}
WEFT_CUFFT_API int cufftMakePlanMany(Handle plan, int rank, int* n, int* inembed, int istride,
                                     int idist, int* onembed, int ostride, int odist, int type,
                                     int batch, Size* work_size) {
  return make_many<int>(plan, {rank, n, inembed, istride, idist, onembed, ostride, odist, batch},
                        parse_type(type), work_size);
}

WEFT_CUFFT_API int cufftPlan1d(Handle* plan, int nx, int type, int batch) {
  return new_plan(plan,
                  [&](Handle h, Size* size) { return make_simple(h, 1, &nx, type, batch, size); });
}
WEFT_CUFFT_API int cufftPlan2d(Handle* plan, int nx, int ny, int type) {
  int n[] = {nx, ny};
  return new_plan(plan, [&](Handle h, Size* size) { return make_simple(h, 2, n, type, 1, size); });
}
WEFT_CUFFT_API int cufftPlan3d(Handle* plan, int nx, int ny, int nz, int type) {
  int n[] = {nx, ny, nz};
  return new_plan(plan, [&](Handle h, Size* size) { return make_simple(h, 3, n, type, 1, size); });
}
WEFT_CUFFT_API int cufftPlanMany(Handle* plan, int rank, int* n, int* inembed, int istride,
                                 int idist, int* onembed, int ostride, int odist, int type,
                                 int batch) {
  return new_plan(plan, [&](Handle h, Size* size) {
    return make_many<int>(h, {rank, n, inembed, istride, idist, onembed, ostride, odist, batch},
                          parse_type(type), size);
  });
}

WEFT_CUFFT_API int cufftMakePlanMany64(Handle plan, int rank, Long* n, Long* inembed, Long istride,
                                       Long idist, Long* onembed, Long ostride, Long odist,
                                       int type, Long batch, Size* work_size) {
  return make_many<Long>(plan, {rank, n, inembed, istride, idist, onembed, ostride, odist, batch},
                         parse_type(type), work_size);
}
WEFT_CUFFT_API int cufftXtMakePlanMany(Handle plan, int rank, Long* n, Long* inembed, Long istride,
                                       Long idist, int inputtype, Long* onembed, Long ostride,
                                       Long odist, int outputtype, Long batch, Size* work_size,
                                       int executiontype) {
  return make_many<Long>(plan, {rank, n, inembed, istride, idist, onembed, ostride, odist, batch},
                         DataTypes{inputtype, outputtype, executiontype}, work_size);
}

WEFT_CUFFT_API int cufftEstimate1d(int nx, int type, int batch, Size* work_size) {
  return estimate({1, &nx, nullptr, 1, 0, nullptr, 1, 0, batch}, type, work_size);
}
WEFT_CUFFT_API int cufftEstimate2d(int nx, int ny, int type, Size* work_size) {
  int n[] = {nx, ny};
  return estimate({2, n, nullptr, 1, 0, nullptr, 1, 0, 1}, type, work_size);
}
WEFT_CUFFT_API int cufftEstimate3d(int nx, int ny, int nz, int type, Size* work_size) {
  int n[] = {nx, ny, nz};
  return estimate({3, n, nullptr, 1, 0, nullptr, 1, 0, 1}, type, work_size);
}
WEFT_CUFFT_API int cufftEstimateMany(int rank, int* n, int* inembed, int istride, int idist,
                                     int* onembed, int ostride, int odist, int type, int batch,
                                     Size* work_size) {
  return estimate({rank, n, inembed, istride, idist, onembed, ostride, odist, batch}, type,
                  work_size);
}

WEFT_CUFFT_API int cufftGetSize(Handle plan, Size* work_size) {
  if (work_size == nullptr) return invalid_value;
  return with_handle(plan, [&](HandlePlan& p) { return p.work_bytes(work_size); });
}
WEFT_CUFFT_API int cufftGetSize1d(Handle plan, int nx, int type, int batch, Size* work_size) {
  if (!find_handle(plan)) return invalid_plan;
  return size_of(work_size,
                 [&](Handle h, Size* s) { return make_simple(h, 1, &nx, type, batch, s); });
}
WEFT_CUFFT_API int cufftGetSize2d(Handle plan, int nx, int ny, int type, Size* work_size) {
  int n[] = {nx, ny};
  if (!find_handle(plan)) return invalid_plan;
  return size_of(work_size, [&](Handle h, Size* s) { return make_simple(h, 2, n, type, 1, s); });
}
WEFT_CUFFT_API int cufftGetSize3d(Handle plan, int nx, int ny, int nz, int type, Size* work_size) {
  int n[] = {nx, ny, nz};
  if (!find_handle(plan)) return invalid_plan;
  return size_of(work_size, [&](Handle h, Size* s) { return make_simple(h, 3, n, type, 1, s); });
}
WEFT_CUFFT_API int cufftGetSizeMany(Handle plan, int rank, int* n, int* inembed, int istride,
                                    int idist, int* onembed, int ostride, int odist, int type,
                                    int batch, Size* work_size) {
  if (!find_handle(plan)) return invalid_plan;
  return size_of(work_size, [&](Handle h, Size* s) {
    return cufftMakePlanMany(h, rank, n, inembed, istride, idist, onembed, ostride, odist, type,
                             batch, s);
  });
}
WEFT_CUFFT_API int cufftGetSizeMany64(Handle plan, int rank, Long* n, Long* inembed, Long istride,
                                      Long idist, Long* onembed, Long ostride, Long odist, int type,
                                      Long batch, Size* work_size) {
  if (!find_handle(plan)) return invalid_plan;
  return size_of(work_size, [&](Handle h, Size* s) {
    return cufftMakePlanMany64(h, rank, n, inembed, istride, idist, onembed, ostride, odist, type,
                               batch, s);
  });
}
WEFT_CUFFT_API int cufftXtGetSizeMany(Handle plan, int rank, Long* n, Long* inembed, Long istride,
                                      Long idist, int inputtype, Long* onembed, Long ostride,
                                      Long odist, int outputtype, Long batch, Size* work_size,
                                      int executiontype) {
  if (!find_handle(plan)) return invalid_plan;
  return size_of(work_size, [&](Handle h, Size* s) {
    return cufftXtMakePlanMany(h, rank, n, inembed, istride, idist, inputtype, onembed, ostride,
                               odist, outputtype, batch, s, executiontype);
  });
}
