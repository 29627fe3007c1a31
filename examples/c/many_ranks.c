/* SPDX-License-Identifier: BSD-3-Clause */
/* An array that is spread over MPI ranks, from C: there in slabs, the spectrum in pencils, and
 * back. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft/weft_mpi.h>

static void check(weft_status status) {
  if (status == WEFT_SUCCESS) return;
  fprintf(stderr, "weft: %s\n", weft_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The value of a field at a point of the whole array. */
static double complex field(int64_t i, int64_t j, int64_t k) {
  return sin(0.3 * (double)(i * i)) + I * cos(0.1 * (double)(j * k));
}

int main(int argc, char** argv) {
  const int64_t shape[3] = {12, 10, 9};
  MPI_Init(&argc, &argv);
  weft_comm* comm = NULL;
  int rank = 0, ranks = 0;
  check(weft_comm_from_mpi(&comm, MPI_COMM_WORLD));
  check(weft_comm_rank(comm, &rank));
  check(weft_comm_size(comm, &ranks));

  weft_boxes *slabs = NULL, *pencils = NULL;
  check(weft_boxes_slabs(&slabs, 3, shape, 0, ranks, rank));
  check(weft_boxes_pencils(&pencils, 3, shape, 0, ranks, rank));

  weft_transform transform;
  weft_distributed_plan *forward = NULL, *backward = NULL;
  check(weft_transform_init(&transform, sizeof transform));
  transform.ndim = 3;
  transform.shape = shape;
  transform.normalization = WEFT_NORM_BACKWARD;
  check(weft_distributed_plan_create(&forward, &transform, slabs, pencils, comm, NULL));
  transform.direction = WEFT_BACKWARD;
  check(weft_distributed_plan_create(&backward, &transform, pencils, slabs, comm, NULL));

  int64_t own = 0, transformed = 0, boxes = 0;
  check(weft_distributed_plan_count(forward, WEFT_INPUT, &own));
  check(weft_distributed_plan_count(forward, WEFT_OUTPUT, &transformed));
  check(weft_boxes_count(slabs, &boxes));
  double complex* x = weft_alloc(own * (int64_t)sizeof *x);
  double complex* y = weft_alloc(transformed * (int64_t)sizeof *y);
  int64_t begin[WEFT_MAX_BOX_NDIM] = {0}, end[WEFT_MAX_BOX_NDIM] = {0};
  int ndim = 0;
  if (boxes > 0) check(weft_boxes_get(slabs, 0, &ndim, begin, end));

  int64_t at = 0;
  for (int64_t i = begin[0]; i < end[0]; ++i)
    for (int64_t j = begin[1]; j < end[1]; ++j)
      for (int64_t k = begin[2]; k < end[2]; ++k) x[at++] = field(i, j, k);
  check(weft_distributed_execute(forward, x, y));
  for (int64_t i = 0; i < own; ++i) x[i] = 0;
  check(weft_distributed_execute(backward, y, x));

  double error = 0, largest = 0;
  at = 0;
  for (int64_t i = begin[0]; i < end[0]; ++i)
    for (int64_t j = begin[1]; j < end[1]; ++j)
      for (int64_t k = begin[2]; k < end[2]; ++k)
        error = fmax(error, cabs(x[at++] - field(i, j, k)));
  MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("there and back on %d ranks, largest error %.1e\n", ranks, largest);

  weft_free(x);
  weft_free(y);
  weft_distributed_plan_destroy(forward);
  weft_distributed_plan_destroy(backward);
  weft_boxes_destroy(slabs);
  weft_boxes_destroy(pencils);
  weft_comm_destroy(comm);
  MPI_Finalize();
  return largest < 1e-12 ? 0 : 1;
}
