/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface of FFTW 3, as its manual documents it, for programs that link weft's libfftw3 and
   libfftw3f. docs/dropins.md says what differs. The long double library is FFTW's own: weft
   declares its functions and leaves them to -lfftw3l. */
#ifndef FFTW3_H
#define FFTW3_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A complex number is two reals. In C it is the language's own type where <complex.h> came first.
 */
#if !defined(FFTW_NO_Complex) && defined(_Complex_I) && defined(complex) && defined(I)
#define WEFT_FFTW_COMPLEX(real, name) typedef real _Complex name
#else
#define WEFT_FFTW_COMPLEX(real, name) typedef real name[2]
#endif

/* In C++ too, it may have any number: plans of unknown kinds are NULL. */
#if defined(__cplusplus) && __cplusplus >= 201103L
enum weft_fftw_kind : int {
#else
enum weft_fftw_kind {
#endif
  FFTW_R2HC = 0,
  FFTW_HC2R = 1,
  FFTW_DHT = 2,
  FFTW_REDFT00 = 3,
  FFTW_REDFT01 = 4,
  FFTW_REDFT10 = 5,
  FFTW_REDFT11 = 6,
  FFTW_RODFT00 = 7,
  FFTW_RODFT01 = 8,
  FFTW_RODFT10 = 9,
  FFTW_RODFT11 = 10
};

/* One dimension of the guru interface: its length, and its strides in the input and the output. */
struct weft_fftw_iodim {
  int n, is, os;
};
struct weft_fftw_iodim64 {
  ptrdiff_t n, is, os;
};

typedef void (*weft_fftw_write_char)(char c, void* data);
typedef int (*weft_fftw_read_char)(void* data);

/* WEFT_FFTW_TYPES(P, R): the types of one precision; P(name) is the name with its prefix. */
#define WEFT_FFTW_TYPES(P, R)                      \
  WEFT_FFTW_COMPLEX(R, P(complex));                \
  typedef struct P(plan_s) * P(plan);              \
  typedef struct weft_fftw_iodim P(iodim);         \
  typedef struct weft_fftw_iodim64 P(iodim64);     \
  typedef enum weft_fftw_kind P(r2r_kind);         \
  typedef weft_fftw_write_char P(write_char_func); \
  typedef weft_fftw_read_char P(read_char_func);

/* Plans of contiguous arrays, row-major. */
#define WEFT_FFTW_BASIC(P, R)                                                                   \
  P(plan)                                                                                       \
  P(plan_dft)(int rank, const int* n, P(complex) * in, P(complex) * out, int sign,              \
              unsigned flags);                                                                  \
  P(plan) P(plan_dft_1d)(int n, P(complex) * in, P(complex) * out, int sign, unsigned flags);   \
  P(plan)                                                                                       \
  P(plan_dft_2d)(int n0, int n1, P(complex) * in, P(complex) * out, int sign, unsigned flags);  \
  P(plan)                                                                                       \
  P(plan_dft_3d)(int n0, int n1, int n2, P(complex) * in, P(complex) * out, int sign,           \
                 unsigned flags);                                                               \
  P(plan) P(plan_dft_r2c)(int rank, const int* n, R* in, P(complex) * out, unsigned flags);     \
  P(plan) P(plan_dft_r2c_1d)(int n, R* in, P(complex) * out, unsigned flags);                   \
  P(plan) P(plan_dft_r2c_2d)(int n0, int n1, R* in, P(complex) * out, unsigned flags);          \
  P(plan) P(plan_dft_r2c_3d)(int n0, int n1, int n2, R* in, P(complex) * out, unsigned flags);  \
  P(plan) P(plan_dft_c2r)(int rank, const int* n, P(complex) * in, R * out, unsigned flags);    \
  P(plan) P(plan_dft_c2r_1d)(int n, P(complex) * in, R * out, unsigned flags);                  \
  P(plan) P(plan_dft_c2r_2d)(int n0, int n1, P(complex) * in, R * out, unsigned flags);         \
  P(plan) P(plan_dft_c2r_3d)(int n0, int n1, int n2, P(complex) * in, R * out, unsigned flags); \
  P(plan)                                                                                       \
  P(plan_r2r)(int rank, const int* n, R* in, R* out, const P(r2r_kind) * kind, unsigned flags); \
  P(plan) P(plan_r2r_1d)(int n, R* in, R* out, P(r2r_kind) kind, unsigned flags);               \
  P(plan)                                                                                       \
  P(plan_r2r_2d)(int n0, int n1, R* in, R* out, P(r2r_kind) kind0, P(r2r_kind) kind1,           \
                 unsigned flags);                                                               \
  P(plan)                                                                                       \
  P(plan_r2r_3d)(int n0, int n1, int n2, R* in, R* out, P(r2r_kind) kind0, P(r2r_kind) kind1,   \
                 P(r2r_kind) kind2, unsigned flags);

/* Plans of many transforms, each a part of a larger row-major array. */
#define WEFT_FFTW_ADVANCED(P, R)                                                                   \
  P(plan)                                                                                          \
  P(plan_many_dft)(int rank, const int* n, int howmany, P(complex) * in, const int* inembed,       \
                   int istride, int idist, P(complex) * out, const int* onembed, int ostride,      \
                   int odist, int sign, unsigned flags);                                           \
  P(plan)                                                                                          \
  P(plan_many_dft_r2c)(int rank, const int* n, int howmany, R* in, const int* inembed,             \
                       int istride, int idist, P(complex) * out, const int* onembed, int ostride,  \
                       int odist, unsigned flags);                                                 \
  P(plan)                                                                                          \
  P(plan_many_dft_c2r)(int rank, const int* n, int howmany, P(complex) * in, const int* inembed,   \
                       int istride, int idist, R* out, const int* onembed, int ostride, int odist, \
                       unsigned flags);                                                            \
  P(plan)                                                                                          \
  P(plan_many_r2r)(int rank, const int* n, int howmany, R* in, const int* inembed, int istride,    \
                   int idist, R* out, const int* onembed, int ostride, int odist,                  \
                   const P(r2r_kind) * kind, unsigned flags);

/* The guru interface, for int and for 64 bits: G(name) has the prefix plan_guru_ or plan_guru64_.
 */
#define WEFT_FFTW_GURU(P, R, G, D)                                                                 \
  P(plan)                                                                                          \
  P(G##_dft)(int rank, const D* dims, int howmany_rank, const D* howmany_dims, P(complex) * in,    \
             P(complex) * out, int sign, unsigned flags);                                          \
  P(plan)                                                                                          \
  P(G##_split_dft)(int rank, const D* dims, int howmany_rank, const D* howmany_dims, R* ri, R* ii, \
                   R* ro, R* io, unsigned flags);                                                  \
  P(plan)                                                                                          \
  P(G##_dft_r2c)(int rank, const D* dims, int howmany_rank, const D* howmany_dims, R* in,          \
                 P(complex) * out, unsigned flags);                                                \
  P(plan)                                                                                          \
  P(G##_split_dft_r2c)(int rank, const D* dims, int howmany_rank, const D* howmany_dims, R* in,    \
                       R* ro, R* io, unsigned flags);                                              \
  P(plan)                                                                                          \
  P(G##_dft_c2r)(int rank, const D* dims, int howmany_rank, const D* howmany_dims,                 \
                 P(complex) * in, R * out, unsigned flags);                                        \
  P(plan)                                                                                          \
  P(G##_split_dft_c2r)(int rank, const D* dims, int howmany_rank, const D* howmany_dims, R* ri,    \
                       R* ii, R* out, unsigned flags);                                             \
  P(plan)                                                                                          \
  P(G##_r2r)(int rank, const D* dims, int howmany_rank, const D* howmany_dims, R* in, R* out,      \
             const P(r2r_kind) * kind, unsigned flags);

#define WEFT_FFTW_EXECUTE(P, R)                                            \
  void P(execute)(const P(plan) p);                                        \
  void P(execute_dft)(const P(plan) p, P(complex) * in, P(complex) * out); \
  void P(execute_dft_r2c)(const P(plan) p, R* in, P(complex) * out);       \
  void P(execute_dft_c2r)(const P(plan) p, P(complex) * in, R * out);      \
  void P(execute_r2r)(const P(plan) p, R* in, R* out);                     \
  void P(execute_split_dft)(const P(plan) p, R* ri, R* ii, R* ro, R* io);  \
  void P(execute_split_dft_r2c)(const P(plan) p, R* in, R* ro, R* io);     \
  void P(execute_split_dft_c2r)(const P(plan) p, R* ri, R* ii, R* out);    \
  P(plan) P(copy_plan)(P(plan) p);                                         \
  void P(destroy_plan)(P(plan) p);                                         \
  void P(cleanup)(void);

#define WEFT_FFTW_WISDOM(P, R)                                      \
  int P(export_wisdom_to_filename)(const char* filename);           \
  void P(export_wisdom_to_file)(FILE * file);                       \
  char* P(export_wisdom_to_string)(void);                           \
  void P(export_wisdom)(P(write_char_func) write_char, void* data); \
  int P(import_wisdom_from_filename)(const char* filename);         \
  int P(import_wisdom_from_file)(FILE * file);                      \
  int P(import_wisdom_from_string)(const char* text);               \
  int P(import_wisdom)(P(read_char_func) read_char, void* data);    \
  int P(import_system_wisdom)(void);                                \
  void P(forget_wisdom)(void);

#define WEFT_FFTW_THREADS(P, R)                                                             \
  int P(init_threads)(void);                                                                \
  void P(plan_with_nthreads)(int nthreads);                                                 \
  int P(planner_nthreads)(void);                                                            \
  void P(cleanup_threads)(void);                                                            \
  void P(make_planner_thread_safe)(void);                                                   \
  void P(threads_set_callback)(void (*parallel_loop)(void* (*work)(char*), char* jobdata,   \
                                                     size_t elsize, int njobs, void* data), \
                               void* data);

#define WEFT_FFTW_OTHERS(P, R)                                           \
  void* P(malloc)(size_t bytes);                                         \
  R* P(alloc_real)(size_t count);                                        \
  P(complex) * P(alloc_complex)(size_t count);                           \
  void P(free)(void* memory);                                            \
  int P(alignment_of)(R * memory);                                       \
  void P(set_timelimit)(double seconds);                                 \
  void P(flops)(const P(plan) p, double* add, double* mul, double* fma); \
  double P(cost)(const P(plan) p);                                       \
  double P(estimate_cost)(const P(plan) p);                              \
  void P(fprint_plan)(const P(plan) p, FILE* file);                      \
  void P(print_plan)(const P(plan) p);                                   \
  char* P(sprint_plan)(const P(plan) p);                                 \
  extern const char P(version)[];                                        \
  extern const char P(cc)[];                                             \
  extern const char P(codelet_optim)[];

#define WEFT_FFTW_PRECISION(P, R)                             \
  WEFT_FFTW_TYPES(P, R)                                       \
  WEFT_FFTW_BASIC(P, R)                                       \
  WEFT_FFTW_ADVANCED(P, R)                                    \
  WEFT_FFTW_GURU(P, R, plan_guru, struct weft_fftw_iodim)     \
  WEFT_FFTW_GURU(P, R, plan_guru64, struct weft_fftw_iodim64) \
  WEFT_FFTW_EXECUTE(P, R)                                     \
  WEFT_FFTW_WISDOM(P, R)                                      \
  WEFT_FFTW_THREADS(P, R)                                     \
  WEFT_FFTW_OTHERS(P, R)

#define WEFT_FFTW_DOUBLE(name) fftw_##name
#define WEFT_FFTW_FLOAT(name) fftwf_##name
#define WEFT_FFTW_LONG_DOUBLE(name) fftwl_##name
WEFT_FFTW_PRECISION(WEFT_FFTW_DOUBLE, double)
WEFT_FFTW_PRECISION(WEFT_FFTW_FLOAT, float)
WEFT_FFTW_PRECISION(WEFT_FFTW_LONG_DOUBLE, long double)

#define FFTW_FORWARD (-1)
#define FFTW_BACKWARD (+1)
#define FFTW_NO_TIMELIMIT (-1.0)

/* How much time to spend on planning, and what may happen to the arrays. */
#define FFTW_MEASURE 0u
#define FFTW_DESTROY_INPUT 0x1u
#define FFTW_UNALIGNED 0x2u
#define FFTW_CONSERVE_MEMORY 0x4u
#define FFTW_EXHAUSTIVE 0x8u
#define FFTW_PRESERVE_INPUT 0x10u
#define FFTW_PATIENT 0x20u
#define FFTW_ESTIMATE 0x40u
#define FFTW_WISDOM_ONLY 0x200000u
/* Hints for FFTW's own planner; weft takes no notice of them. */
#define FFTW_ESTIMATE_PATIENT 0x80u
#define FFTW_BELIEVE_PCOST 0x100u
#define FFTW_NO_DFT_R2HC 0x200u
#define FFTW_NO_NONTHREADED 0x400u
#define FFTW_NO_BUFFERING 0x800u
#define FFTW_NO_INDIRECT_OP 0x1000u
#define FFTW_ALLOW_LARGE_GENERIC 0x2000u
#define FFTW_NO_RANK_SPLITS 0x4000u
#define FFTW_NO_VRANK_SPLITS 0x8000u
#define FFTW_NO_VRECURSE 0x10000u
#define FFTW_NO_SIMD 0x20000u
#define FFTW_NO_SLOW 0x40000u
#define FFTW_NO_FIXED_RADIX_LARGE_N 0x80000u
#define FFTW_ALLOW_PRUNING 0x100000u

#ifdef __cplusplus
}
#endif
#endif
