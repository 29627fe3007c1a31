/* SPDX-License-Identifier: BSD-3-Clause */
/* A program written for heFFTe in C, on weft: a wave on every rank's slab has one mode; there and
   back in both precisions; what is refused, and how. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "heffte.h"

enum { nx = 6, ny = 5, nz = 9, points = nx * ny * nz };
static int failures, rank, ranks;
static void expect(int is_true, const char* what, int line) {
  if (is_true) return;
  ++failures;
  printf("rank %d of %d, line %d: %s\n", rank, ranks, line, what);
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

static const double pi = 3.14159265358979323846;
static double angle(int i, int j, int k) {
  return 2 * pi * (2.0 * i / nx + 1.0 * j / ny + 4.0 * k / nz);
}

/* Slabs of the last index, or of the first for the output. */
static void slab(int n, int* low, int* high) {
  *low = n * rank / ranks;
  *high = n * (rank + 1) / ranks - 1;
}

static void check_complex(int backend, int in_place) {
  int in_low[3] = {0, 0, 0}, in_high[3] = {nx - 1, ny - 1, nz - 1};
  int out_low[3] = {0, 0, 0}, out_high[3] = {nx - 1, ny - 1, nz - 1};
  const int order[3] = {2, 0, 1};
  slab(nz, &in_low[2], &in_high[2]);
  slab(nx, &out_low[0], &out_high[0]);
  heffte_plan_options options;
  EXPECT(heffte_set_default_options(backend, &options) == Heffte_SUCCESS);
  heffte_plan plan = NULL;
  EXPECT(heffte_plan_create(backend, in_low, in_high, NULL, out_low, out_high, order,
                            MPI_COMM_WORLD, &options, &plan) == Heffte_SUCCESS);
  const int nin = heffte_size_inbox(plan), nout = heffte_size_outbox(plan);
  EXPECT(nin == nx * ny * (in_high[2] - in_low[2] + 1));
  EXPECT(nout == ny * nz * (out_high[0] - out_low[0] + 1));
  EXPECT(heffte_get_backend(plan) == backend && !heffte_is_r2c(plan));
  double* const in = calloc(2 * points, sizeof(double));
  double* const other = calloc(2 * points, sizeof(double));
  double* const workspace = malloc(2 * sizeof(double) * (size_t)heffte_size_workspace(plan));
  double* const out = in_place ? in : other;
  int at = 0;
  for (int k = in_low[2]; k <= in_high[2]; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i, ++at) {
        in[2 * at] = cos(angle(i, j, k));
        in[2 * at + 1] = sin(angle(i, j, k));
      }
  heffte_forward_z2z_buffered(plan, in, out, workspace, Heffte_SCALE_FULL);
  /* Order of the output: 2 is adjacent, then 0, then 1. */
  const int width = out_high[0] - out_low[0] + 1;
  double worst = 0;
  for (int j = 0; j < ny; ++j)
    for (int i = out_low[0]; i <= out_high[0]; ++i)
      for (int k = 0; k < nz; ++k) {
        const int e = (j * width + i - out_low[0]) * nz + k;
        const double expected = i == 2 && j == 1 && k == 4 ? 1 : 0;
        worst = fmax(worst, hypot(out[2 * e] - expected, out[2 * e + 1]));
      }
  EXPECT(worst < 1e-13);
  heffte_backward_z2z(plan, out, in, Heffte_SCALE_NONE);
  at = 0;
  for (int k = in_low[2]; k <= in_high[2]; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i, ++at)
        worst = fmax(worst,
                     hypot(in[2 * at] - cos(angle(i, j, k)), in[2 * at + 1] - sin(angle(i, j, k))));
  EXPECT(worst < 1e-12);
  EXPECT(heffte_plan_destroy(plan) == Heffte_SUCCESS);
  free(in);
  free(other);
  free(workspace);
}

static void check_real(void) {
  int in_low[3] = {0, 0, 0}, in_high[3] = {nx - 1, ny - 1, nz - 1};
  int out_low[3] = {0, 0, 0}, out_high[3] = {nx - 1, ny / 2, nz - 1};
  slab(nz, &in_low[2], &in_high[2]);
  slab(nz, &out_low[2], &out_high[2]);
  heffte_plan plan = NULL;
  EXPECT(heffte_plan_create_r2c(Heffte_BACKEND_FFTW, in_low, in_high, NULL, out_low, out_high, NULL,
                                1, MPI_COMM_WORLD, NULL, &plan) == Heffte_SUCCESS);
  EXPECT(heffte_is_r2c(plan));
  float* const in = calloc(points, sizeof(float));
  float* const back = calloc(points, sizeof(float));
  float* const out = calloc(2 * points, sizeof(float));
  int at = 0;
  for (int k = in_low[2]; k <= in_high[2]; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i, ++at) in[at] = (float)cos(angle(i, j, k));
  heffte_forward_s2c(plan, in, out, Heffte_SCALE_NONE);
  double worst = 0;
  for (int k = out_low[2]; k <= out_high[2]; ++k)
    for (int j = 0; j <= ny / 2; ++j)
      for (int i = 0; i < nx; ++i) {
        const int e = ((k - out_low[2]) * (ny / 2 + 1) + j) * nx + i;
        const double expected = i == 2 && j == 1 && k == 4 ? points / 2.0 : 0;
        worst = fmax(worst, hypot(out[2 * e] - expected, out[2 * e + 1]));
      }
  EXPECT(worst < 1e-3);
  heffte_backward_c2s(plan, out, back, Heffte_SCALE_FULL);
  worst = 0;
  for (int i = 0; i < heffte_size_inbox(plan); ++i) worst = fmax(worst, fabs(back[i] - in[i]));
  EXPECT(worst < 1e-5);
  EXPECT(heffte_plan_destroy(plan) == Heffte_SUCCESS);
  free(in);
  free(back);
  free(out);
}

static void check_refusals(void) {
  const int low[3] = {0, 0, 0}, high[3] = {3, 3, 3}, far[3] = {1, 0, 0};
  heffte_plan plan = NULL;
  heffte_plan_options options;
  EXPECT(heffte_set_default_options(77, &options) == 1);
  EXPECT(heffte_plan_create(77, low, high, NULL, low, high, NULL, MPI_COMM_WORLD, NULL, &plan) ==
         1);
  EXPECT(heffte_plan_create(Heffte_BACKEND_STOCK, far, high, NULL, low, high, NULL, MPI_COMM_WORLD,
                            NULL, &plan) == 2);
  EXPECT(plan == NULL);
  EXPECT(heffte_plan_destroy(NULL) == 3);
  EXPECT(heffte_size_inbox(NULL) == 0);
  double one[2] = {7, 7};
  heffte_forward_z2z(NULL, one, one, Heffte_SCALE_NONE); /* a line on standard error */
  EXPECT(one[0] == 7);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  check_complex(Heffte_BACKEND_STOCK, 0);
  check_complex(Heffte_BACKEND_FFTW, 1);
  check_complex(Heffte_BACKEND_MKL, 0);
  check_real();
  check_refusals();
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
