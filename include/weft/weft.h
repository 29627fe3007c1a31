/* SPDX-License-Identifier: BSD-3-Clause */
/* weft for C (C99): everything that the C++ interface does, with the same names. weft_mpi.h makes
   ranks from an MPI communicator, weft_cuda.h transforms arrays on a GPU.

   Functions that can fail return a weft_status; weft_last_error() says what was wrong. Handles are
   pointers that a ..._create function fills in and a ..._destroy function takes back; a failed
   create sets the pointer to NULL, and destroying NULL does nothing. Structures are filled with
   their defaults by an ..._init function before you set what differs:

       weft_transform transform;
       weft_transform_init(&transform, sizeof transform);

   so that programs keep running when a later weft adds members. Complex numbers are two adjacent
   reals, as in C99 and Fortran. Counts and strides are in elements, 64 bits. */
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include <stddef.h>
#include <stdint.h>

#include "weft/export.h"
#include "weft/version.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weft_status {
  WEFT_SUCCESS = 0,
  WEFT_INVALID_ARGUMENT = 1, /* the request contradicts itself or the data */
  WEFT_UNSUPPORTED = 2,      /* a valid request that this build or machine cannot carry out */
  WEFT_OUT_OF_MEMORY = 3,
  WEFT_IO = 4,     /* a file could not be read or written */
  WEFT_WISDOM = 5, /* a wisdom file is damaged or of another version */
  WEFT_MPI = 6,    /* MPI reported an error */
  WEFT_INTERNAL = 7
} weft_status;

/* What went wrong in the last call that failed on this thread; "" before the first. The text is
   valid until the next failing call on this thread. */
WEFT_API const char* weft_last_error(void);
/* Sets weft_last_error() and returns `status`: for bindings to other languages. */
WEFT_API weft_status weft_set_last_error(weft_status status, const char* message);
/* "invalid argument", ... */
WEFT_API const char* weft_status_text(weft_status status);
/* The version of the library, "0.1.0"; WEFT_VERSION is that of this header. */
WEFT_API const char* weft_version(void);
WEFT_API int weft_version_number(void); /* to compare with WEFT_VERSION_NUMBER */

/* Memory on a boundary of 64 bytes; NULL if there is not enough. */
WEFT_API void* weft_alloc(int64_t bytes);
/* Frees what weft_alloc gave, and texts that weft returned through a char**. */
WEFT_API void weft_free(void* memory);

/* ---- What to compute ---- */

enum { WEFT_MAX_NDIM = 32, WEFT_MAX_BOX_NDIM = 8 };

typedef enum weft_kind {
  WEFT_C2C = 0,
  WEFT_R2C = 1, /* forward; the last transformed axis has n/2+1 outputs */
  WEFT_C2R = 2, /* backward */
  WEFT_R2R = 3
} weft_kind;

/* With FFTW's definitions (REDFTxy, RODFTxy, DHT, R2HC, HC2R). */
typedef enum weft_r2r {
  WEFT_DCT1 = 0,
  WEFT_DCT2 = 1,
  WEFT_DCT3 = 2,
  WEFT_DCT4 = 3,
  WEFT_DST1 = 4,
  WEFT_DST2 = 5,
  WEFT_DST3 = 6,
  WEFT_DST4 = 7,
  WEFT_DHT = 8,
  WEFT_R2HC = 9,
  WEFT_HC2R = 10
} weft_r2r;

typedef enum weft_direction {
  WEFT_DIRECTION_DEFAULT = 0, /* forward; r2r: by the kinds, see TransformOptions in plan.hpp */
  WEFT_FORWARD = 1,
  WEFT_BACKWARD = 2
} weft_direction;

typedef enum weft_normalization {
  WEFT_NORM_NONE = 0,
  WEFT_NORM_BACKWARD = 1, /* backward transforms divide by N */
  WEFT_NORM_FORWARD = 2,  /* forward transforms do */
  WEFT_NORM_ORTHO = 3     /* both divide by sqrt(N) */
} weft_normalization;

typedef enum weft_precision { WEFT_F16 = 0, WEFT_F32 = 1, WEFT_F64 = 2 } weft_precision;

/* How much of the spectrum the complex side of r2c and c2r has. */
typedef enum weft_spectrum { WEFT_SPECTRUM_HALF = 0, WEFT_SPECTRUM_FULL = 1 } weft_spectrum;
/* Which modes an array has that is shorter than the transform, see Modes in plan.hpp. */
typedef enum weft_modes { WEFT_MODES_FIRST = 0, WEFT_MODES_AROUND_ZERO = 1 } weft_modes;

/* The arrays that members point to are read by the ..._create functions and not needed after. */
typedef struct weft_transform {
  size_t struct_size; /* set by weft_transform_init() */
  int kind;           /* weft_kind; default: WEFT_C2C */
  int ndim;
  const int64_t* shape; /* ndim extents, last axis adjacent in memory; r2c, c2r: of the real side */
  int axis_count;
  const int* axes; /* the transformed axes; NULL: all. Negative counts from the end. With axis_count
                      0 and axes not NULL no axis is transformed: the array is copied */
  int direction;   /* weft_direction */
  int normalization; /* weft_normalization; default: none */
  int precision;     /* weft_precision; default: WEFT_F64 */
  int r2r_count;
  const int* r2r;                /* weft_r2r, one per transformed axis or one for all */
  int spectrum;                  /* weft_spectrum; default: half */
  int modes;                     /* weft_modes; default: first */
  const int64_t* input_extents;  /* ndim extents of arrays with fewer points than the shape: what */
  const int64_t* output_extents; /* is missing is zero, or not stored. NULL: those of the shape */
  int orthogonalize; /* r2r: 1 makes the matrices of dct1 to dct3, dst2 and dst3 orthogonal */
  int inverse;       /* 1: the inverse of the transform that the other members describe */
} weft_transform;
WEFT_API weft_status weft_transform_init(weft_transform* transform, size_t struct_size);

/* ---- How ---- */

typedef enum weft_effort {
  WEFT_ESTIMATE = 0, /* by the cost model; microseconds to milliseconds */
  WEFT_MEASURE = 1,  /* time the best few recipes */
  WEFT_PATIENT = 2   /* time all of them */
} weft_effort;

typedef enum weft_threading {
  WEFT_THREADS_DEFAULT = 0,
  WEFT_THREADS_SERIAL = 1,
  WEFT_THREADS_OPENMP = 2,
  WEFT_THREADS_POOL = 3,  /* a pool of the plan's own */
  WEFT_THREADS_CUSTOM = 4 /* run_tasks below */
} weft_threading;

/* Calls task(task_data, 0) ... task(task_data, tasks-1), in any order and on any threads, and
   returns when all have returned. Tasks do not wait for each other. */
typedef void (*weft_run_tasks)(void* context, int tasks, void (*task)(void* task_data, int index),
                               void* task_data);

/* How a side with complex numbers is stored. */
typedef enum weft_storage {
  WEFT_INTERLEAVED = 0, /* real and imaginary part side by side */
  WEFT_SPLIT = 1        /* two arrays of reals, for weft_execute_split() */
} weft_storage;

typedef struct weft_plan_options {
  size_t struct_size;       /* set by weft_plan_options_init() */
  int effort;               /* weft_effort */
  int threads;              /* default: 1; 0: all cores. CUSTOM: how many tasks run at a time */
  int threading;            /* weft_threading */
  weft_run_tasks run_tasks; /* for WEFT_THREADS_CUSTOM */
  void* run_context;        /* its first argument */
  double time_limit_s;      /* for measure and patient; default: 10 */
  int use_wisdom;           /* default: 1 */
  const char* recipe;       /* as weft_plan_text() returned it; NULL: choose one */
  int in_place;       /* 1: input and output may share memory in any way, as in a transposition */
  int input_storage;  /* weft_storage */
  int output_storage; /* weft_storage */
} weft_plan_options;
WEFT_API weft_status weft_plan_options_init(weft_plan_options* options, size_t struct_size);

/* ---- Plans of one process ---- */

typedef struct weft_plan weft_plan;
typedef struct weft_workspace weft_workspace;

/* Strides: one per dimension of each array; NULL: contiguous, row-major. Options: NULL for the
   defaults. */
WEFT_API weft_status weft_plan_create(weft_plan** plan, const weft_transform* transform,
                                      const int64_t* input_strides, const int64_t* output_strides,
                                      const weft_plan_options* options);
WEFT_API void weft_plan_destroy(weft_plan* plan);

/* `in` and `out` are the first elements of arrays laid out as planned, the same memory or disjoint.
   Threads may share a plan. Concurrent calls of the first form take turns; of the second they run
   at the same time, each with a workspace of its own. */
WEFT_API weft_status weft_execute(const weft_plan* plan, const void* in, void* out);
WEFT_API weft_status weft_execute_with(const weft_plan* plan, const void* in, void* out,
                                       weft_workspace* workspace);
/* For plans with split sides: the real and the imaginary parts of each side; the second pointer is
   NULL where a side is not split. `workspace` may be NULL: the plan's own. */
WEFT_API weft_status weft_execute_split(const weft_plan* plan, const void* in, const void* in_imag,
                                        void* out, void* out_imag, weft_workspace* workspace);

WEFT_API weft_status weft_plan_workspace_bytes(const weft_plan* plan, int64_t* bytes);
/* Plans that need no more bytes may share it. */
WEFT_API weft_status weft_workspace_create(weft_workspace** workspace, int64_t bytes);
/* In memory of the caller, on a boundary of 64 bytes, which must outlive it. */
WEFT_API weft_status weft_workspace_from_memory(weft_workspace** workspace, void* memory,
                                                int64_t bytes);
WEFT_API void weft_workspace_destroy(weft_workspace* workspace);

typedef enum weft_side { WEFT_INPUT = 0, WEFT_OUTPUT = 1 } weft_side;
/* `shape` and `strides` have room for WEFT_MAX_NDIM numbers or are NULL. r2c: the output is the
   half-complex array; c2r: the input is. */
WEFT_API weft_status weft_plan_layout(const weft_plan* plan, weft_side side, int* ndim,
                                      int64_t* shape, int64_t* strides);

typedef enum weft_text {
  WEFT_TEXT_RECIPE = 0,  /* one line, from which the plan can be made again */
  WEFT_TEXT_TREE = 1,    /* the recipe as a tree; local plans */
  WEFT_TEXT_FORMULA = 2, /* as an SPL formula; local plans */
  WEFT_TEXT_LATEX = 3,   /* the formula in LaTeX; local plans */
  WEFT_TEXT_EXPLAIN = 4  /* for people */
} weft_text;
/* Free the text with weft_free(). */
WEFT_API weft_status weft_plan_text(const weft_plan* plan, weft_text which, char** text);

typedef struct weft_plan_cost {
  double flops;       /* number of real arithmetic operations */
  double bytes;       /* to and from main memory */
  double passes;      /* over the whole array */
  double predicted_s; /* by the cost model on this machine */
} weft_plan_cost;
WEFT_API weft_status weft_plan_get_cost(const weft_plan* plan, weft_plan_cost* cost);

/* ---- Operators: forward transform, a function of the wave vector at every mode, backward
   transform, as one plan (docs/operators.md) ---- */

typedef struct weft_operator weft_operator;

typedef struct weft_operator_options {
  size_t struct_size;    /* set by weft_operator_options_init() */
  const double* lengths; /* periods of the fields, one per transformed axis; NULL: 2 pi */
  int inputs;            /* default: 0, as many as the function names */
  int x_is_last;         /* 1: x is the last transformed axis, y the one before it */
} weft_operator_options;
WEFT_API weft_status weft_operator_options_init(weft_operator_options* options, size_t struct_size);

/* `transform` is c2c (forward) or r2c, f32 or f64. `function` is text such as
   "where(k2 == 0, 0, -1/k2) * u0" or "dx*u0; dy*u0; dz*u0", one expression per output;
   weft/spectral_expression.hpp lists what it may have. Options: NULL for the defaults; a recipe is
   not taken. */
WEFT_API weft_status weft_operator_create(weft_operator** op, const weft_transform* transform,
                                          const char* function,
                                          const weft_operator_options* options,
                                          const weft_plan_options* plan_options);
WEFT_API void weft_operator_destroy(weft_operator* op);
/* As many contiguous arrays as the operator has inputs and outputs. Output f may be the same array
   as input f; no other memory may be shared. Threads may share an operator, each with a workspace
   of its own; NULL: one is allocated for this call. */
WEFT_API weft_status weft_operator_execute(const weft_operator* op, const void* const* in,
                                           void* const* out, weft_workspace* workspace);
WEFT_API weft_status weft_operator_fields(const weft_operator* op, int* inputs, int* outputs);
WEFT_API weft_status weft_operator_workspace_bytes(const weft_operator* op, int64_t* bytes);
/* What it does, for people. Free the text with weft_free(). */
WEFT_API weft_status weft_operator_explain(const weft_operator* op, char** text);

/* ---- Wisdom: the fastest measured recipes, one store per process ---- */

WEFT_API weft_status weft_wisdom_load(const char* path);
WEFT_API weft_status weft_wisdom_save(const char* path);
/* The whole store as the text of a wisdom file, to be freed with weft_free(), and back. */
WEFT_API weft_status weft_wisdom_to_text(char** text);
WEFT_API weft_status weft_wisdom_from_text(const char* text);
WEFT_API weft_status weft_wisdom_load_default(void);
WEFT_API weft_status weft_wisdom_default_path(char** path); /* free it with weft_free() */
WEFT_API void weft_wisdom_forget(void);
WEFT_API int64_t weft_wisdom_size(void);

/* ---- Ranks: who shares a distributed array ---- */

typedef struct weft_comm weft_comm;
WEFT_API weft_status weft_comm_rank(const weft_comm* comm, int* rank);
WEFT_API weft_status weft_comm_size(const weft_comm* comm, int* size);
/* Collective. Plans keep what they need: the communicator may be destroyed before them. */
WEFT_API void weft_comm_destroy(weft_comm* comm);
/* Collective: every rank then has the wisdom of all ranks. */
WEFT_API weft_status weft_wisdom_gather(const weft_comm* comm);
/* Calls body(comm, context) once per rank, each on its own thread. The communicator belongs to
   weft. Returns when all calls have returned. For tests, and for programs without MPI. */
WEFT_API weft_status weft_run_as_threads(int ranks, void (*body)(weft_comm* comm, void* context),
                                         void* context);

/* ---- Which part of an array a rank holds, and where it lies in its memory ---- */

typedef struct weft_box {
  size_t struct_size; /* set by weft_box_init() */
  int ndim;
  const int64_t* begin; /* indices begin[d] <= i[d] < end[d] */
  const int64_t* end;
  const int64_t* strides;    /* NULL: no gaps, axes in the order given by `order` */
  const int* order;          /* axes from slowest to fastest; NULL: 0, 1, 2, ... */
  const int64_t* margin_low; /* ghost cells per axis; NULL: none */
  const int64_t* margin_high;
  int64_t offset; /* of the first element; default: -1, directly after the previous box */
} weft_box;
WEFT_API weft_status weft_box_init(weft_box* box, size_t struct_size);

/* All boxes of one rank. */
typedef struct weft_boxes weft_boxes;
WEFT_API weft_status weft_boxes_create(weft_boxes** boxes); /* none */
WEFT_API weft_status weft_boxes_add(weft_boxes* boxes, const weft_box* box);
/* The block of `rank` in an array divided by a grid; `grid` has ndim counts. */
WEFT_API weft_status weft_boxes_bricks(weft_boxes** boxes, int ndim, const int64_t* shape,
                                       const int* grid, int rank);
/* Divided along one axis. */
WEFT_API weft_status weft_boxes_slabs(weft_boxes** boxes, int ndim, const int64_t* shape, int axis,
                                      int ranks, int rank);
/* Whole lines along `axis`, the other axes divided. */
WEFT_API weft_status weft_boxes_pencils(weft_boxes** boxes, int ndim, const int64_t* shape,
                                        int axis, int ranks, int rank);
/* Blocks distributed cyclically along every axis, as in ScaLAPACK. */
WEFT_API weft_status weft_boxes_block_cyclic(weft_boxes** boxes, int ndim, const int64_t* shape,
                                             const int* grid, const int64_t* block, int rank);
WEFT_API void weft_boxes_destroy(weft_boxes* boxes);
WEFT_API weft_status weft_boxes_count(const weft_boxes* boxes, int64_t* count);
/* `begin` and `end` have room for WEFT_MAX_BOX_NDIM numbers. */
WEFT_API weft_status weft_boxes_get(const weft_boxes* boxes, int64_t index, int* ndim,
                                    int64_t* begin, int64_t* end);
/* The grid whose blocks have the smallest surface; the `whole` axes are not divided. */
WEFT_API weft_status weft_balanced_grid(int ndim, const int64_t* shape, int ranks, int whole_count,
                                        const int* whole, int* grid);

/* ---- Plans over ranks. Calls are collective where those of C++ are: create, execute, start, test,
   wait and destroy. A NULL plan or communicator is an error on this rank only. ---- */

typedef enum weft_exchange {
  WEFT_EXCHANGE_AUTOMATIC = 0,
  WEFT_ALL_TO_ALL = 1,
  WEFT_ALL_TO_ALL_V = 2,
  WEFT_POINT_TO_POINT = 3,
  WEFT_PIPELINED = 4,
  WEFT_SHARED = 5,
  WEFT_NODE_AWARE = 6,
  WEFT_STAGED = 7, /* this and the next between GPUs */
  WEFT_DIRECT = 8,
  WEFT_IPC = 9,
  WEFT_NCCL = 10
} weft_exchange;

typedef enum weft_strategy {
  WEFT_STRATEGY_AUTOMATIC = 0,
  WEFT_SLAB = 1,
  WEFT_PENCIL = 2,
  WEFT_BRICK = 3,
  WEFT_MIXED = 4,
  WEFT_LINE = 5
} weft_strategy;

typedef enum weft_device { WEFT_CPU = 0, WEFT_CUDA = 1 } weft_device;

/* One axis seen as rows and columns, see LineSplit in distributed.hpp. */
typedef struct weft_line_split {
  int axis;
  int64_t rows, columns;
} weft_line_split;

typedef struct weft_distributed_plan weft_distributed_plan;
typedef struct weft_distributed_workspace weft_distributed_workspace;
/* Memory for an array of distributed plans that all ranks of a node can reach: plans made for it
   copy nothing into memory that they share, or out of it. */
typedef struct weft_distributed_memory weft_distributed_memory;

typedef struct weft_distributed_options {
  size_t struct_size; /* set by weft_distributed_options_init() */
  int device;         /* weft_device; on a GPU execute takes device pointers */
  int device_number;  /* of this rank's GPU */
  void* stream;       /* a cudaStream_t; NULL: the default stream */
  int effort;         /* weft_effort */
  int exchange;       /* weft_exchange */
  int strategy;       /* weft_strategy */
  int chunks;         /* of pipelined exchanges; default: 4 */
  int in_place;       /* execute gets the same pointer twice */
  int reproducible;   /* the same bits for every number of ranks; slower */
  int threads;        /* per rank; default: 1; 0: all cores */
  int threading;      /* weft_threading */
  weft_run_tasks run_tasks;
  void* run_context;
  double time_limit_s;                   /* for measure and patient; default: 10 */
  int64_t max_bytes_per_rank;            /* 0: all memory of the machine */
  weft_distributed_workspace* workspace; /* of another plan; NULL: its own */
  int use_wisdom;                        /* default: 1 */
  const char* recipe;                    /* NULL: choose one */
  const weft_line_split* split;          /* for boxes with one dimension more; NULL: none */
  /* Of the arrays that execute will get, on all ranks; NULL: any. In place: the same for both. */
  weft_distributed_memory *input_memory, *output_memory;
} weft_distributed_options;
WEFT_API weft_status weft_distributed_options_init(weft_distributed_options* options,
                                                   size_t struct_size);

/* Collective: room for these boxes of elements of that size, filled with zeros. */
WEFT_API weft_status weft_distributed_memory_create(weft_distributed_memory** memory,
                                                    const weft_boxes* boxes, int64_t element_bytes,
                                                    const weft_comm* comm);
/* This rank's part. */
WEFT_API weft_status weft_distributed_memory_get(const weft_distributed_memory* memory, void** data,
                                                 int64_t* bytes);
/* Not collective. Plans keep the memory that they need, and so do the other ranks. */
WEFT_API void weft_distributed_memory_destroy(weft_distributed_memory* memory);

/* `output` NULL: the planner chooses, ask weft_distributed_plan_boxes(). */
WEFT_API weft_status weft_distributed_plan_create(weft_distributed_plan** plan,
                                                  const weft_transform* transform,
                                                  const weft_boxes* input, const weft_boxes* output,
                                                  const weft_comm* comm,
                                                  const weft_distributed_options* options);
WEFT_API void weft_distributed_plan_destroy(weft_distributed_plan* plan);
WEFT_API weft_status weft_distributed_execute(weft_distributed_plan* plan, const void* in,
                                              void* out);
/* Without waiting: the arrays belong to the plan until wait returns or test sets *is_done. */
WEFT_API weft_status weft_distributed_start(weft_distributed_plan* plan, const void* in, void* out);
WEFT_API weft_status weft_distributed_test(weft_distributed_plan* plan, int* is_done);
WEFT_API weft_status weft_distributed_wait(weft_distributed_plan* plan);

/* Elements that the pointers given to execute must reach. */
WEFT_API weft_status weft_distributed_plan_count(const weft_distributed_plan* plan, weft_side side,
                                                 int64_t* count);
/* A copy of this rank's boxes; destroy it. */
WEFT_API weft_status weft_distributed_plan_boxes(const weft_distributed_plan* plan, weft_side side,
                                                 weft_boxes** boxes);
/* *has_split is 0 if no box has an extra axis. */
WEFT_API weft_status weft_distributed_plan_split(const weft_distributed_plan* plan, int* has_split,
                                                 weft_line_split* split);
WEFT_API weft_status weft_distributed_plan_text(const weft_distributed_plan* plan, weft_text which,
                                                char** text);

typedef struct weft_distributed_cost {
  int64_t messages;        /* from this rank to others, per execution */
  int64_t message_bytes;   /* in them */
  int64_t workspace_bytes; /* this rank's, without input and output */
  double flops;            /* this rank's */
  double predicted_s;
} weft_distributed_cost;
WEFT_API weft_status weft_distributed_plan_get_cost(const weft_distributed_plan* plan,
                                                    weft_distributed_cost* cost);
/* GPUs: number of extra pack and unpack copies on this rank; 0 is best. */
WEFT_API weft_status weft_distributed_plan_copied_sides(const weft_distributed_plan* plan,
                                                        int* copies);
/* The plan's workspace, to share it with the plan of the inverse. Destroy it; the plans keep what
   they need. */
WEFT_API weft_status weft_distributed_plan_workspace(const weft_distributed_plan* plan,
                                                     weft_distributed_workspace** workspace);
WEFT_API weft_status weft_distributed_workspace_bytes(const weft_distributed_workspace* workspace,
                                                      int64_t* bytes);
WEFT_API void weft_distributed_workspace_destroy(weft_distributed_workspace* workspace);

/* One interval of the last execution on this rank, seconds from its start. */
typedef struct weft_trace_event {
  char name[64];
  double begin_s, end_s;
} weft_trace_event;
/* Writes at most `room` events to `events`, and the number of all events to *count. */
WEFT_API weft_status weft_distributed_plan_trace(const weft_distributed_plan* plan, int64_t room,
                                                 weft_trace_event* events, int64_t* count);

#ifdef __cplusplus
}
#endif

#endif
