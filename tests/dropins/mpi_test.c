/* SPDX-License-Identifier: BSD-3-Clause */
/* FFTW's MPI interface against its serial one: every rank makes the whole array, transforms it, and
   compares its part. */
#define TEST_MPI
#include "naive.h"

enum { room = 20000 };
static C whole[room], spectrum[room], mine[room], result[room];
static R reals[2 * room], real_spectrum[2 * room];
static int ranks, rank;

static void fill(size_t count) {
  random_state = 88172645463325252ULL;
  for (size_t i = 0; i < count; ++i) {
    reals[i] = (R)random_real();
    whole[i] = (C)(reals[i] + I * random_real());
  }
}
static double error_of(C found, C expected) { return cabs((double complex)found - expected); }

/* 3-D, with tuples, in natural and in transposed order. */
static void check_c2c(int transposed, int in_place) {
  const ptrdiff_t n[3] = {7, 5, 6};
  const int shape[3] = {7, 5, 6}, howmany = 2, count = 7 * 5 * 6 * 2;
  ptrdiff_t n0, start0, n1, start1;
  const ptrdiff_t needed = X(mpi_local_size_many_transposed)(3, n, howmany, 0, 0, MPI_COMM_WORLD,
                                                             &n0, &start0, &n1, &start1);
  const int block = (7 + ranks - 1) / ranks;
  CHECK(start0 == (rank * block < 7 ? rank * block : 0));
  CHECK(n0 == (rank * block >= 7 ? 0 : 7 - rank * block < block ? 7 - rank * block : block));
  CHECK(needed >= n0 * 5 * 6 * howmany && needed >= n1 * 7 * 6 * howmany && needed <= room);
  fill(count);
  X(plan)
  serial = X(plan_many_dft)(3, shape, howmany, whole, NULL, howmany, 1, spectrum, NULL, howmany, 1,
                            FFTW_FORWARD, FFTW_ESTIMATE);
  X(execute)(serial);
  X(destroy_plan)(serial);
  C* out = in_place ? mine : result;
  X(plan)
  plan = X(mpi_plan_many_dft)(3, n, howmany, 0, 0, mine, out, MPI_COMM_WORLD, FFTW_FORWARD,
                              FFTW_ESTIMATE | (transposed ? FFTW_MPI_TRANSPOSED_OUT : 0));
  CHECK(plan != NULL);
  if (plan == NULL) return;
  memcpy(mine, whole + start0 * 60, (size_t)n0 * 60 * sizeof(C));
  X(execute)(plan);
  double worst = 0;
  if (transposed) {
    for (ptrdiff_t j = 0; j < n1; ++j)
      for (ptrdiff_t i = 0; i < 7; ++i)
        for (int k = 0; k < 12; ++k)
          worst = fmax(
              worst, error_of(out[(j * 7 + i) * 12 + k], spectrum[(i * 5 + start1 + j) * 12 + k]));
  } else {
    for (ptrdiff_t i = 0; i < n0 * 60; ++i)
      worst = fmax(worst, error_of(out[i], spectrum[start0 * 60 + i]));
  }
  CHECK(worst < 210 * TOLERANCE);
  X(destroy_plan)(plan);
}

/* Reals with padded rows to the half of the spectrum, transposed, and back. */
static void check_real(void) {
  const int nx = 9, ny = 8, half = 5;
  ptrdiff_t n0, start0, n1, start1;
  X(mpi_local_size_2d_transposed)(nx, half, MPI_COMM_WORLD, &n0, &start0, &n1, &start1);
  fill((size_t)nx * ny);
  X(plan) serial = X(plan_dft_r2c_2d)(nx, ny, reals, spectrum, FFTW_ESTIMATE);
  X(execute)(serial);
  X(destroy_plan)(serial);
  R* local = (R*)mine;
  X(plan)
  there = X(mpi_plan_dft_r2c_2d)(nx, ny, local, mine, MPI_COMM_WORLD,
                                 FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
  X(plan)
  back = X(mpi_plan_dft_c2r_2d)(nx, ny, mine, local, MPI_COMM_WORLD,
                                FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_IN);
  CHECK(there != NULL && back != NULL);
  if (there == NULL || back == NULL) return;
  for (ptrdiff_t i = 0; i < n0; ++i)
    for (int j = 0; j < ny; ++j) local[i * 2 * half + j] = reals[(start0 + i) * ny + j];
  X(execute)(there);
  for (ptrdiff_t k = 0; k < n1; ++k)
    for (int i = 0; i < nx; ++i)
      CHECK(error_of(mine[k * nx + i], spectrum[i * half + start1 + k]) < 72 * TOLERANCE);
  X(execute)(back);
  for (ptrdiff_t i = 0; i < n0; ++i)
    for (int j = 0; j < ny; ++j)
      CHECK(fabs((double)(local[i * 2 * half + j] / (nx * ny) - reals[(start0 + i) * ny + j])) <
            10 * TOLERANCE);
  X(destroy_plan)(there);
  X(destroy_plan)(back);
}

/* A matrix is transposed; cosines and sines; one long line. */
static void check_others(void) {
  ptrdiff_t n0, start0, n1, start1;
  X(mpi_local_size_2d_transposed)(6, 11, MPI_COMM_WORLD, &n0, &start0, &n1, &start1);
  fill(66);
  R *from = (R*)mine, *to = (R*)result;
  X(plan) plan = X(mpi_plan_transpose)(6, 11, from, to, MPI_COMM_WORLD, FFTW_ESTIMATE);
  CHECK(plan != NULL);
  memcpy(from, reals + start0 * 11, (size_t)n0 * 11 * sizeof(R));
  X(execute)(plan);
  X(destroy_plan)(plan);
  for (ptrdiff_t j = 0; j < n1; ++j)
    for (int i = 0; i < 6; ++i) CHECK(to[j * 6 + i] == reals[i * 11 + start1 + j]);

  X(plan)
  serial = X(plan_r2r_2d)(6, 11, reals, real_spectrum, FFTW_REDFT10, FFTW_RODFT00, FFTW_ESTIMATE);
  X(execute)(serial);
  X(destroy_plan)(serial);
  plan = X(mpi_plan_r2r_2d)(6, 11, from, to, MPI_COMM_WORLD, FFTW_REDFT10, FFTW_RODFT00,
                            FFTW_ESTIMATE);
  CHECK(plan != NULL);
  memcpy(from, reals + start0 * 11, (size_t)n0 * 11 * sizeof(R));
  X(mpi_execute_r2r)(plan, from, to);
  X(destroy_plan)(plan);
  for (ptrdiff_t i = 0; i < n0 * 11; ++i)
    CHECK(fabs((double)(to[i] - real_spectrum[start0 * 11 + i])) < 200 * TOLERANCE);

  ptrdiff_t in_count, in_start, out_count, out_start;
  X(mpi_local_size_1d)(101, MPI_COMM_WORLD, FFTW_BACKWARD, 0, &in_count, &in_start, &out_count,
                       &out_start);
  fill(101);
  serial = X(plan_dft_1d)(101, whole, spectrum, FFTW_BACKWARD, FFTW_ESTIMATE);
  X(execute)(serial);
  X(destroy_plan)(serial);
  plan = X(mpi_plan_dft_1d)(101, mine, result, MPI_COMM_WORLD, FFTW_BACKWARD, FFTW_ESTIMATE);
  CHECK(plan != NULL);
  memcpy(mine, whole + in_start, (size_t)in_count * sizeof(C));
  X(mpi_execute_dft)(plan, mine, result);
  /* Made for two arrays, executed on one. */
  memcpy(mine, whole + in_start, (size_t)in_count * sizeof(C));
  X(mpi_execute_dft)(plan, mine, mine);
  X(destroy_plan)(plan);
  for (ptrdiff_t i = 0; i < out_count; ++i) {
    CHECK(error_of(result[i], spectrum[out_start + i]) < 101 * TOLERANCE);
    CHECK(error_of(mine[i], result[i]) < 101 * TOLERANCE);
  }
}

static void check_wisdom_and_misuse(void) {
  const ptrdiff_t shape[2] = {4, 0};
  X(plan) plan = NULL;
  X(forget_wisdom)();
  if (rank == ranks - 1) plan = X(plan_dft_1d)(77, mine, result, FFTW_FORWARD, FFTW_ESTIMATE);
  X(destroy_plan)(plan);
  X(mpi_gather_wisdom)(MPI_COMM_WORLD);
  X(mpi_broadcast_wisdom)(MPI_COMM_WORLD);
  plan = X(plan_dft_1d)(77, mine, result, FFTW_FORWARD, FFTW_ESTIMATE | FFTW_WISDOM_ONLY);
  CHECK(plan != NULL);
  X(destroy_plan)(plan);
  CHECK(X(mpi_plan_dft)(2, shape, mine, result, MPI_COMM_WORLD, -1, FFTW_ESTIMATE) == NULL);
  CHECK(X(mpi_plan_dft)(0, shape, mine, result, MPI_COMM_WORLD, -1, FFTW_ESTIMATE) == NULL);
  CHECK(X(mpi_plan_dft_2d)(4, 4, mine, result, MPI_COMM_WORLD, 5, FFTW_ESTIMATE) == NULL);
  /* Blocks that would need more ranks than there are. */
  const ptrdiff_t rows[2] = {ranks + 1, 4};
  CHECK(X(mpi_plan_many_dft)(2, rows, 1, 1, 0, mine, result, MPI_COMM_WORLD, -1, FFTW_ESTIMATE) ==
        NULL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  X(mpi_init)();
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int which = 0; which < 4; ++which) check_c2c(which % 2, which / 2);
  check_real();
  check_others();
  check_wisdom_and_misuse();
  X(mpi_cleanup)();
  MPI_Finalize();
  return failure_count != 0;
}
