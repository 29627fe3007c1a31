/* SPDX-License-Identifier: BSD-3-Clause */
/* FFTW's interface for arrays that are distributed over MPI ranks, as its manual documents it, for
   programs that link weft's libfftw3_mpi and libfftw3f_mpi. */
#ifndef FFTW3_MPI_H
#define FFTW3_MPI_H

#include <fftw3.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_fftw_mpi_ddim {
  ptrdiff_t n, ib, ob;
};

/* P(name) is the name with its prefix, for precision R. SIZES are the lengths of an array. */
#define WEFT_FFTW_MPI_SIZES(P)                                                                   \
  ptrdiff_t P(mpi_local_size)(int rank, const ptrdiff_t* n, MPI_Comm comm, ptrdiff_t* local_n0,  \
                              ptrdiff_t* local_0_start);                                         \
  ptrdiff_t P(mpi_local_size_2d)(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm, ptrdiff_t* local_n0, \
                                 ptrdiff_t* local_0_start);                                      \
  ptrdiff_t P(mpi_local_size_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm,        \
                                 ptrdiff_t* local_n0, ptrdiff_t* local_0_start);                 \
  ptrdiff_t P(mpi_local_size_transposed)(int rank, const ptrdiff_t* n, MPI_Comm comm,            \
                                         ptrdiff_t* local_n0, ptrdiff_t* local_0_start,          \
                                         ptrdiff_t* local_n1, ptrdiff_t* local_1_start);         \
  ptrdiff_t P(mpi_local_size_2d_transposed)(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm,           \
                                            ptrdiff_t* local_n0, ptrdiff_t* local_0_start,       \
                                            ptrdiff_t* local_n1, ptrdiff_t* local_1_start);      \
  ptrdiff_t P(mpi_local_size_3d_transposed)(                                                     \
      ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm, ptrdiff_t* local_n0,              \
      ptrdiff_t* local_0_start, ptrdiff_t* local_n1, ptrdiff_t* local_1_start);                  \
  ptrdiff_t P(mpi_local_size_many)(int rank, const ptrdiff_t* n, ptrdiff_t howmany,              \
                                   ptrdiff_t block0, MPI_Comm comm, ptrdiff_t* local_n0,         \
                                   ptrdiff_t* local_0_start);                                    \
  ptrdiff_t P(mpi_local_size_many_transposed)(int rank, const ptrdiff_t* n, ptrdiff_t howmany,   \
                                              ptrdiff_t block0, ptrdiff_t block1, MPI_Comm comm, \
                                              ptrdiff_t* local_n0, ptrdiff_t* local_0_start,     \
                                              ptrdiff_t* local_n1, ptrdiff_t* local_1_start);    \
  ptrdiff_t P(mpi_local_size_1d)(ptrdiff_t n0, MPI_Comm comm, int sign, unsigned flags,          \
                                 ptrdiff_t* local_ni, ptrdiff_t* local_i_start,                  \
                                 ptrdiff_t* local_no, ptrdiff_t* local_o_start);                 \
  ptrdiff_t P(mpi_local_size_many_1d)(ptrdiff_t n0, ptrdiff_t howmany, MPI_Comm comm, int sign,  \
                                      unsigned flags, ptrdiff_t* local_ni,                       \
                                      ptrdiff_t* local_i_start, ptrdiff_t* local_no,             \
                                      ptrdiff_t* local_o_start);

#define WEFT_FFTW_MPI_PLANS(P, R)                                                                  \
  P(plan)                                                                                          \
  P(mpi_plan_transpose)(ptrdiff_t n0, ptrdiff_t n1, R* in, R* out, MPI_Comm comm, unsigned flags); \
  P(plan)                                                                                          \
  P(mpi_plan_many_transpose)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t howmany, ptrdiff_t block0,      \
                             ptrdiff_t block1, R* in, R* out, MPI_Comm comm, unsigned flags);      \
  P(plan)                                                                                          \
  P(mpi_plan_dft)(int rank, const ptrdiff_t* n, P(complex) * in, P(complex) * out, MPI_Comm comm,  \
                  int sign, unsigned flags);                                                       \
  P(plan)                                                                                          \
  P(mpi_plan_dft_1d)(ptrdiff_t n0, P(complex) * in, P(complex) * out, MPI_Comm comm, int sign,     \
                     unsigned flags);                                                              \
  P(plan)                                                                                          \
  P(mpi_plan_dft_2d)(ptrdiff_t n0, ptrdiff_t n1, P(complex) * in, P(complex) * out, MPI_Comm comm, \
                     int sign, unsigned flags);                                                    \
  P(plan)                                                                                          \
  P(mpi_plan_dft_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, P(complex) * in, P(complex) * out,  \
                     MPI_Comm comm, int sign, unsigned flags);                                     \
  P(plan)                                                                                          \
  P(mpi_plan_many_dft)(int rank, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t block,           \
                       ptrdiff_t tblock, P(complex) * in, P(complex) * out, MPI_Comm comm,         \
                       int sign, unsigned flags);                                                  \
  P(plan)                                                                                          \
  P(mpi_plan_dft_r2c)(int rank, const ptrdiff_t* n, R* in, P(complex) * out, MPI_Comm comm,        \
                      unsigned flags);                                                             \
  P(plan)                                                                                          \
  P(mpi_plan_dft_r2c_2d)(ptrdiff_t n0, ptrdiff_t n1, R* in, P(complex) * out, MPI_Comm comm,       \
                         unsigned flags);                                                          \
  P(plan)                                                                                          \
  P(mpi_plan_dft_r2c_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, R* in, P(complex) * out,        \
                         MPI_Comm comm, unsigned flags);                                           \
  P(plan)                                                                                          \
  P(mpi_plan_many_dft_r2c)(int rank, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t iblock,      \
                           ptrdiff_t oblock, R* in, P(complex) * out, MPI_Comm comm,               \
                           unsigned flags);                                                        \
  P(plan)                                                                                          \
  P(mpi_plan_dft_c2r)(int rank, const ptrdiff_t* n, P(complex) * in, R * out, MPI_Comm comm,       \
                      unsigned flags);                                                             \
  P(plan)                                                                                          \
  P(mpi_plan_dft_c2r_2d)(ptrdiff_t n0, ptrdiff_t n1, P(complex) * in, R * out, MPI_Comm comm,      \
                         unsigned flags);                                                          \
  P(plan)                                                                                          \
  P(mpi_plan_dft_c2r_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, P(complex) * in, R * out,       \
                         MPI_Comm comm, unsigned flags);                                           \
  P(plan)                                                                                          \
  P(mpi_plan_many_dft_c2r)(int rank, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t iblock,      \
                           ptrdiff_t oblock, P(complex) * in, R * out, MPI_Comm comm,              \
                           unsigned flags);                                                        \
  P(plan)                                                                                          \
  P(mpi_plan_r2r)(int rank, const ptrdiff_t* n, R* in, R* out, MPI_Comm comm,                      \
                  const P(r2r_kind) * kind, unsigned flags);                                       \
  P(plan)                                                                                          \
  P(mpi_plan_r2r_2d)(ptrdiff_t n0, ptrdiff_t n1, R* in, R* out, MPI_Comm comm, P(r2r_kind) kind0,  \
                     P(r2r_kind) kind1, unsigned flags);                                           \
  P(plan)                                                                                          \
  P(mpi_plan_r2r_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, R* in, R* out, MPI_Comm comm,       \
                     P(r2r_kind) kind0, P(r2r_kind) kind1, P(r2r_kind) kind2, unsigned flags);     \
  P(plan)                                                                                          \
  P(mpi_plan_many_r2r)(int rank, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t iblock,          \
                       ptrdiff_t oblock, R* in, R* out, MPI_Comm comm, const P(r2r_kind) * kind,   \
                       unsigned flags);

#define WEFT_FFTW_MPI_OTHERS(P, R)                                       \
  typedef struct weft_fftw_mpi_ddim P(mpi_ddim);                         \
  void P(mpi_init)(void);                                                \
  void P(mpi_cleanup)(void);                                             \
  void P(mpi_gather_wisdom)(MPI_Comm comm);                              \
  void P(mpi_broadcast_wisdom)(MPI_Comm comm);                           \
  void P(mpi_execute_dft)(P(plan) p, P(complex) * in, P(complex) * out); \
  void P(mpi_execute_dft_r2c)(P(plan) p, R * in, P(complex) * out);      \
  void P(mpi_execute_dft_c2r)(P(plan) p, P(complex) * in, R * out);      \
  void P(mpi_execute_r2r)(P(plan) p, R * in, R * out);

#define WEFT_FFTW_MPI_PRECISION(P, R) \
  WEFT_FFTW_MPI_SIZES(P)              \
  WEFT_FFTW_MPI_PLANS(P, R)           \
  WEFT_FFTW_MPI_OTHERS(P, R)

WEFT_FFTW_MPI_PRECISION(WEFT_FFTW_DOUBLE, double)
WEFT_FFTW_MPI_PRECISION(WEFT_FFTW_FLOAT, float)
WEFT_FFTW_MPI_PRECISION(WEFT_FFTW_LONG_DOUBLE, long double)

#define FFTW_MPI_DEFAULT_BLOCK 0
/* The order of a scrambled array is the library's to choose; weft's is the natural one. */
#define FFTW_MPI_SCRAMBLED_IN 0x8000000u
#define FFTW_MPI_SCRAMBLED_OUT 0x10000000u
#define FFTW_MPI_TRANSPOSED_IN 0x20000000u
#define FFTW_MPI_TRANSPOSED_OUT 0x40000000u

#ifdef __cplusplus
}
#endif
#endif
