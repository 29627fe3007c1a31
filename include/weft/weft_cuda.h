/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms of arrays in the memory of an NVIDIA GPU, for C. No CUDA header is needed: streams are
   void*, made from a cudaStream_t or a CUstream, and NULL is the default stream. */
#ifndef WEFT_WEFT_CUDA_H
#define WEFT_WEFT_CUDA_H

#include "weft/weft.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 1 if this machine has a driver, NVRTC and at least one GPU, else 0. */
WEFT_API int weft_cuda_is_available(void);
/* Free the text with weft_free(). */
WEFT_API weft_status weft_cuda_device_name(int device, char** name);

typedef struct weft_cuda_options {
  size_t struct_size; /* set by weft_cuda_options_init() */
  int device;
  int effort;              /* weft_effort; measure and patient time recipes on the device */
  double time_limit_s;     /* default: 10 */
  int use_wisdom;          /* default: 1 */
  int64_t workspace_limit; /* bytes; default: -1, no limit */
  const char* recipe;      /* NULL: choose one */
} weft_cuda_options;
WEFT_API weft_status weft_cuda_options_init(weft_cuda_options* options, size_t struct_size);

typedef struct weft_cuda_plan weft_cuda_plan;
typedef struct weft_cuda_workspace weft_cuda_workspace;

/* Strides and options as for weft_plan_create(). */
WEFT_API weft_status weft_cuda_plan_create(weft_cuda_plan** plan, const weft_transform* transform,
                                           const int64_t* input_strides,
                                           const int64_t* output_strides,
                                           const weft_cuda_options* options);
WEFT_API void weft_cuda_plan_destroy(weft_cuda_plan* plan);
/* Puts the transform on the stream and returns; it may be captured into a CUDA graph. The workspace
   is in use until the stream has run the transform. */
WEFT_API weft_status weft_cuda_execute(const weft_cuda_plan* plan, const void* in, void* out,
                                       weft_cuda_workspace* workspace, void* stream);
WEFT_API weft_status weft_cuda_plan_workspace_bytes(const weft_cuda_plan* plan, int64_t* bytes);
WEFT_API weft_status weft_cuda_plan_device(const weft_cuda_plan* plan, int* device);
/* WEFT_TEXT_RECIPE or WEFT_TEXT_EXPLAIN. */
WEFT_API weft_status weft_cuda_plan_text(const weft_cuda_plan* plan, weft_text which, char** text);
WEFT_API weft_status weft_cuda_plan_get_cost(const weft_cuda_plan* plan, weft_plan_cost* cost);

/* One per stream that executes; plans may share one. */
WEFT_API weft_status weft_cuda_workspace_create(weft_cuda_workspace** workspace, int64_t bytes,
                                                int device);
/* In device memory of the caller, aligned as cudaMalloc does, which must outlive it. */
WEFT_API weft_status weft_cuda_workspace_from_memory(weft_cuda_workspace** workspace,
                                                     void* device_memory, int64_t bytes);
WEFT_API void weft_cuda_workspace_destroy(weft_cuda_workspace* workspace);

/* ---- Operators, as weft_operator_create() makes them for the host (docs/operators.md) ---- */

typedef struct weft_cuda_operator weft_cuda_operator;

/* Options: NULL for the defaults. */
WEFT_API weft_status weft_cuda_operator_create(weft_cuda_operator** op,
                                               const weft_transform* transform,
                                               const char* function,
                                               const weft_operator_options* options,
                                               const weft_cuda_options* cuda_options);
WEFT_API void weft_cuda_operator_destroy(weft_cuda_operator* op);
/* As many contiguous arrays in device memory as the operator has inputs and outputs. Output f may
   be the same array as input f; no other memory may be shared. Puts the work on the stream and
   returns; it may be captured into a CUDA graph. */
WEFT_API weft_status weft_cuda_operator_execute(const weft_cuda_operator* op, const void* const* in,
                                                void* const* out, weft_cuda_workspace* workspace,
                                                void* stream);
WEFT_API weft_status weft_cuda_operator_fields(const weft_cuda_operator* op, int* inputs,
                                               int* outputs);
WEFT_API weft_status weft_cuda_operator_workspace_bytes(const weft_cuda_operator* op,
                                                        int64_t* bytes);
/* WEFT_TEXT_RECIPE or WEFT_TEXT_EXPLAIN. */
WEFT_API weft_status weft_cuda_operator_text(const weft_cuda_operator* op, weft_text which,
                                             char** text);

#ifdef __cplusplus
}
#endif

#endif
