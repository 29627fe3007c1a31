// SPDX-License-Identifier: BSD-3-Clause
// heFFTe's functions for C.
#include <climits>
#include <cstdio>
#include <new>

#include "dropins/heffte/include/heffte_c.h"
#include "dropins/heffte/transform.hpp"

namespace weft::heffte {
namespace {

struct CPlan {
  weft_heffte_plan* plan = nullptr;
  int inbox = 0, outbox = 0;
};

bool is_backend(int backend) {
  return backend == Heffte_BACKEND_STOCK || backend == Heffte_BACKEND_FFTW ||
         backend == Heffte_BACKEND_MKL;
}

weft_heffte_box c_box(const int* low, const int* high, const int* order) {
  weft_heffte_box box{};
  for (int d = 0; d < 3; ++d) {
    box.low[d] = low[d];
    box.high[d] = high[d];
    box.order[d] = order == nullptr ? d : order[d];
  }
  return box;
}

/// C has no larger sizes.
int as_int(Index count) { return count > INT_MAX ? INT_MAX : static_cast<int>(count); }

int report(const char* function) {
  std::fprintf(stderr, "%s: %s\n", function, weft_heffte_error());
  return 2;
}

int create(int backend, const weft_heffte_request& request, MPI_Comm comm, heffte_plan* plan) {
  *plan = nullptr;
  if (!is_backend(backend)) return 1;
  weft_heffte_plan* transform = nullptr;
  if (weft_heffte_create(&transform, &request, comm) != weft_heffte_ok)
    return report("heffte_plan_create");
  auto* const inner = new (std::nothrow)
      CPlan{transform, as_int(box_of(request.in).count()), as_int(box_of(request.out).count())};
  *plan =
      new (std::nothrow) heffte_fft_plan{backend, request.kind == weft_heffte_r2c ? 1 : 0, inner};
  return inner != nullptr && *plan != nullptr ? Heffte_SUCCESS : 2;
}

const CPlan* inner(heffte_plan plan) {
  return plan == nullptr ? nullptr : static_cast<const CPlan*>(plan->fft);
}

struct Numbers {
  bool is_double, complex_in, complex_out;
};

void execute(const char* function, heffte_plan plan, bool backward, Numbers numbers, const void* in,
             void* out, void* workspace, int scale) {
  const CPlan* const c = inner(plan);
  const bool is_large = c != nullptr && weft_heffte_workspace(c->plan) > INT_MAX;
  const weft_heffte_call call{.backward = backward,
                              .is_double = numbers.is_double,
                              .complex_in = numbers.complex_in,
                              .complex_out = numbers.complex_out,
                              .scale = scale,
                              .batch = 1,
                              .in = in,
                              .out = out,
                              // The caller cannot know a larger size.
                              .workspace = is_large ? nullptr : workspace};
  if (weft_heffte_execute(c == nullptr ? nullptr : c->plan, &call) != weft_heffte_ok)
    report(function);
}

}  // namespace
}  // namespace weft::heffte

using weft::heffte::Numbers;

#pragma GCC visibility push(default)
extern "C" {

int heffte_set_default_options(int backend, heffte_plan_options* options) {
  if (!weft::heffte::is_backend(backend)) return 1;
  *options = {1, Heffte_RESHAPE_ALGORITHM_ALLTOALLV, 1, 1};
  return Heffte_SUCCESS;
}

int heffte_plan_create(int backend, const int inbox_low[3], const int inbox_high[3],
                       const int* inbox_order, const int outbox_low[3], const int outbox_high[3],
                       const int* outbox_order, MPI_Comm const comm, const heffte_plan_options*,
                       heffte_plan* plan) {
  using weft::heffte::c_box;
  return weft::heffte::create(backend,
                              {.kind = weft_heffte_fft,
                               .r2c_direction = -1,
                               .in = c_box(inbox_low, inbox_high, inbox_order),
                               .out = c_box(outbox_low, outbox_high, outbox_order),
                               .backward_factor = 1,
                               .on_gpu = 0,
                               .device_number = 0,
                               .stream = nullptr,
                               .memory = {}},
                              comm, plan);
}

int heffte_plan_create_r2c(int backend, const int inbox_low[3], const int inbox_high[3],
                           const int* inbox_order, const int outbox_low[3],
                           const int outbox_high[3], const int* outbox_order, int r2c_direction,
                           MPI_Comm const comm, const heffte_plan_options*, heffte_plan* plan) {
  using weft::heffte::c_box;
  return weft::heffte::create(backend,
                              {.kind = weft_heffte_r2c,
                               .r2c_direction = r2c_direction,
                               .in = c_box(inbox_low, inbox_high, inbox_order),
                               .out = c_box(outbox_low, outbox_high, outbox_order),
                               .backward_factor = 1,
                               .on_gpu = 0,
                               .device_number = 0,
                               .stream = nullptr,
                               .memory = {}},
                              comm, plan);
}

int heffte_plan_destroy(heffte_plan plan) {
  const auto* const c = weft::heffte::inner(plan);
  if (c == nullptr) return 3;
  weft_heffte_destroy(c->plan);
  delete c;
  delete plan;
  return Heffte_SUCCESS;
}

int heffte_size_inbox(heffte_plan const plan) {
  const auto* const c = weft::heffte::inner(plan);
  return c == nullptr ? 0 : c->inbox;
}

int heffte_size_outbox(heffte_plan const plan) {
  const auto* const c = weft::heffte::inner(plan);
  return c == nullptr ? 0 : c->outbox;
}

int heffte_size_workspace(heffte_plan const plan) {
  const auto* const c = weft::heffte::inner(plan);
  return c == nullptr ? 0 : weft::heffte::as_int(weft_heffte_workspace(c->plan));
}

int heffte_get_backend(heffte_plan const plan) { return plan == nullptr ? -1 : plan->backend_type; }
int heffte_is_r2c(heffte_plan const plan) { return plan == nullptr ? 0 : plan->using_r2c; }

#define WEFT_HEFFTE_FUNCTION(name, is_backward, in_type, out_type, ...)                            \
  void heffte_##name##_buffered(heffte_plan const plan, const in_type* input, out_type* output,    \
                                void* workspace, int scale) {                                      \
    weft::heffte::execute("heffte_" #name, plan, is_backward, Numbers{__VA_ARGS__}, input, output, \
                          workspace, scale);                                                       \
  }                                                                                                \
  void heffte_##name(heffte_plan const plan, const in_type* input, out_type* output, int scale) {  \
    heffte_##name##_buffered(plan, input, output, nullptr, scale);                                 \
  }
WEFT_HEFFTE_FUNCTION(forward_s2c, false, float, void, false, false, true)
WEFT_HEFFTE_FUNCTION(forward_c2c, false, void, void, false, true, true)
WEFT_HEFFTE_FUNCTION(forward_d2z, false, double, void, true, false, true)
WEFT_HEFFTE_FUNCTION(forward_z2z, false, void, void, true, true, true)
WEFT_HEFFTE_FUNCTION(backward_c2s, true, void, float, false, true, false)
WEFT_HEFFTE_FUNCTION(backward_c2c, true, void, void, false, true, true)
WEFT_HEFFTE_FUNCTION(backward_z2d, true, void, double, true, true, false)
WEFT_HEFFTE_FUNCTION(backward_z2z, true, void, void, true, true, true)

}  // extern "C"
#pragma GCC visibility pop
