/* SPDX-License-Identifier: BSD-3-Clause */
/* What libweft_heffte exports to heffte.h: plans without types, so that programs in C++11 need none
   of weft's headers. heFFTe's own interface is above it; programs do not call this. */
#ifndef WEFT_HEFFTE_H
#define WEFT_HEFFTE_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  weft_heffte_ok = 0,
  weft_heffte_invalid = 1,
  weft_heffte_no_memory = 2,
  weft_heffte_failed = 3
};
/* What went wrong in the last call on this thread that returned another value than 0. */
const char* weft_heffte_error(void);

/* As heFFTe's boxes: inclusive, axes in the order of storage from fastest to slowest. */
typedef struct weft_heffte_box {
  long long low[3], high[3];
  int order[3];
} weft_heffte_box;

typedef enum weft_heffte_kind {
  weft_heffte_fft = 0, /* complex or real numbers and the whole spectrum */
  weft_heffte_r2c = 1, /* real numbers and half of the spectrum */
  weft_heffte_cos2 =
      2, /* real numbers: cosine and sine transforms of types II (backward: III), I */
  weft_heffte_sin2 = 3,
  weft_heffte_cos1 = 4,
  weft_heffte_sin1 = 5
} weft_heffte_kind;

/* How to reach memory of a GPU, in the order of the request's stream; other values than 0 are
   failures. `copy` copies `count` pieces of `width` bytes, which begin a step apart. */
typedef struct weft_heffte_memory {
  void* (*allocate)(size_t bytes);
  void (*release)(void* memory);
  int (*clear)(void* stream, void* to, size_t bytes);
  int (*copy)(void* stream, void* to, size_t to_step, const void* from, size_t from_step,
              size_t width, size_t count);
} weft_heffte_memory;

typedef struct weft_heffte_request {
  int kind; /* weft_heffte_kind */
  int r2c_direction;
  weft_heffte_box in, out;
  /* By which factor a backward real-to-real transform differs from FFTW's. */
  double backward_factor;
  int on_gpu, device_number;
  void* stream;
  weft_heffte_memory memory; /* of the GPU */
} weft_heffte_request;

typedef enum weft_heffte_scale {
  weft_heffte_scale_none = 0,
  weft_heffte_scale_full = 1,
  weft_heffte_scale_symmetric = 2
} weft_heffte_scale;

typedef struct weft_heffte_call {
  int backward;
  int is_double;
  int complex_in, complex_out;
  int scale; /* weft_heffte_scale */
  int batch; /* transforms, one after the other in memory */
  const void* in;
  void* out;
  void* workspace; /* batch * weft_heffte_workspace() numbers, or NULL: the plan's own */
} weft_heffte_call;

typedef struct weft_heffte_plan weft_heffte_plan;
/* Collective: each rank passes its own boxes. Errors are those of all ranks. */
int weft_heffte_create(weft_heffte_plan** plan, const weft_heffte_request* request, MPI_Comm comm);
void weft_heffte_destroy(weft_heffte_plan* plan);
int weft_heffte_execute(const weft_heffte_plan* plan, const weft_heffte_call* call);

/* Numbers (complex ones, for fft and r2c) that a workspace has, and those of them for messages. */
long long weft_heffte_workspace(const weft_heffte_plan* plan);
long long weft_heffte_message_room(const weft_heffte_plan* plan);
/* By what the full scale multiplies. */
double weft_heffte_scale_factor(const weft_heffte_plan* plan);

/* Transforms along some directions of a box that one rank holds, in place. */
typedef struct weft_heffte_lines weft_heffte_lines;
int weft_heffte_lines_create(weft_heffte_lines** lines, const weft_heffte_box* box, int kind,
                             int count, const int* directions, double backward_factor);
void weft_heffte_lines_destroy(weft_heffte_lines* lines);
int weft_heffte_lines_execute(const weft_heffte_lines* lines, int backward, int is_double,
                              void* data);

#ifdef __cplusplus
}
#endif

#endif
