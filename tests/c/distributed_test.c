/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans over ranks from C; the ranks are threads. */
#include <complex.h>
#include <stdlib.h>

#include "check.h"

enum { n0 = 6, n1 = 5, n2 = 4, count = n0 * n1 * n2 };
static const int64_t shape[3] = {n0, n1, n2};

static double complex field[count], spectrum[count];

static weft_transform transform_of(int direction) {
  weft_transform t;
  CHECK_OK(weft_transform_init(&t, sizeof t));
  t.ndim = 3;
  t.shape = shape;
  t.direction = direction;
  t.normalization = WEFT_NORM_BACKWARD;
  return t;
}

/* The whole array's transform, by a plan of one process. */
static void fill_reference(void) {
  const weft_transform t = transform_of(WEFT_FORWARD);
  weft_plan* plan = NULL;
  for (int i = 0; i < count; ++i) field[i] = (i * 37 % 101) / 50.0 - 1 + I * (i * 53 % 89) / 40.0;
  CHECK_OK(weft_plan_create(&plan, &t, NULL, NULL, NULL));
  CHECK_OK(weft_execute(plan, field, spectrum));
  weft_plan_destroy(plan);
}

/* Copies this rank's only box, laid out without gaps, from the whole array. */
static void take(const weft_boxes* boxes, const double complex* whole, double complex* own) {
  int64_t boxes_count = 0, b[WEFT_MAX_BOX_NDIM], e[WEFT_MAX_BOX_NDIM];
  int ndim = 0;
  CHECK_OK(weft_boxes_count(boxes, &boxes_count));
  for (int64_t box = 0; box < boxes_count; ++box) {
    CHECK_OK(weft_boxes_get(boxes, box, &ndim, b, e));
    for (int64_t i = b[0]; i < e[0]; ++i)
      for (int64_t j = b[1]; j < e[1]; ++j)
        for (int64_t k = b[2]; k < e[2]; ++k) *own++ = whole[(i * n1 + j) * n2 + k];
  }
}

static void there_and_back(weft_comm* comm, void* context) {
  const weft_transform forth = transform_of(WEFT_FORWARD), back = transform_of(WEFT_BACKWARD);
  weft_boxes *in = NULL, *out = NULL, *same = NULL;
  weft_distributed_plan *forward = NULL, *backward = NULL;
  weft_distributed_workspace* workspace = NULL;
  weft_distributed_options o;
  weft_distributed_cost cost;
  int rank = -1, size = -1, is_done = 0, has_split = -1, copies = -1, grid[3];
  int64_t in_count = -1, out_count = -1, events = -1, bytes = -1;
  char* text = NULL;
  weft_trace_event event;
  double complex x[count], y[count], expected[count];
  (void)context;
  CHECK_OK(weft_comm_rank(comm, &rank));
  CHECK_OK(weft_comm_size(comm, &size));
  CHECK_OK(weft_balanced_grid(3, shape, size, 0, NULL, grid));
  CHECK(grid[0] * grid[1] * grid[2] == size);
  CHECK_OK(weft_boxes_bricks(&in, 3, shape, grid, rank));
  CHECK_OK(weft_boxes_pencils(&out, 3, shape, 0, size, rank));
  CHECK_OK(weft_distributed_options_init(&o, sizeof o));
  CHECK_OK(weft_distributed_plan_create(&forward, &forth, in, out, comm, &o));
  CHECK_OK(weft_distributed_plan_workspace(forward, &workspace));
  o.workspace = workspace;
  CHECK_OK(weft_distributed_plan_create(&backward, &back, out, in, comm, &o));
  CHECK_OK(weft_distributed_workspace_bytes(workspace, &bytes));
  CHECK(bytes >= 0);
  weft_distributed_workspace_destroy(workspace);
  CHECK_OK(weft_distributed_plan_count(forward, WEFT_INPUT, &in_count));
  CHECK_OK(weft_distributed_plan_count(forward, WEFT_OUTPUT, &out_count));

  take(in, field, x);
  take(out, spectrum, expected);
  CHECK_OK(weft_distributed_execute(forward, x, y));
  for (int64_t i = 0; i < out_count; ++i) CHECK(cabs(y[i] - expected[i]) < 1e-11);
  CHECK_OK(weft_distributed_start(backward, y, x));
  while (!is_done) CHECK_OK(weft_distributed_test(backward, &is_done));
  CHECK_OK(weft_distributed_wait(backward));
  take(in, field, expected);
  for (int64_t i = 0; i < in_count; ++i) CHECK(cabs(x[i] - expected[i]) < 1e-12);

  CHECK_OK(weft_distributed_plan_boxes(forward, WEFT_OUTPUT, &same));
  take(same, spectrum, expected);
  for (int64_t i = 0; i < out_count; ++i) CHECK(cabs(y[i] - expected[i]) < 1e-11);
  CHECK_OK(weft_distributed_plan_text(forward, WEFT_TEXT_RECIPE, &text));
  CHECK(text != NULL && strlen(text) > 4);
  weft_free(text);
  CHECK_OK(weft_distributed_plan_text(forward, WEFT_TEXT_EXPLAIN, &text));
  weft_free(text);
  CHECK_FAILS(weft_distributed_plan_text(forward, WEFT_TEXT_TREE, &text), WEFT_UNSUPPORTED,
              "WEFT_TEXT_RECIPE");
  CHECK_OK(weft_distributed_plan_get_cost(forward, &cost));
  CHECK(cost.flops >= 0 && cost.messages >= 0);
  CHECK_OK(weft_distributed_plan_trace(forward, 1, &event, &events));
  CHECK(events >= 1 && event.end_s >= event.begin_s);
  CHECK_OK(weft_distributed_plan_split(forward, &has_split, NULL));
  CHECK(has_split == 0);
  CHECK_OK(weft_distributed_plan_copied_sides(forward, &copies));
  weft_boxes_destroy(same);
  weft_boxes_destroy(in);
  weft_boxes_destroy(out);
  weft_distributed_plan_destroy(forward);
  weft_distributed_plan_destroy(backward);
}

/* The full spectrum of a real array, and the lowest modes of a complex one. */
static void full_and_cropped(weft_comm* comm, void* context) {
  const int64_t few[3] = {3, 5, 2};
  int rank = -1, size = -1, ndim = 0;
  int64_t modes = -1, begin[WEFT_MAX_BOX_NDIM], end[WEFT_MAX_BOX_NDIM];
  double x[count];
  double complex z[count] = {0}, y[count], wanted[count], expected[count];
  weft_transform real = transform_of(WEFT_FORWARD), cropped = real;
  weft_boxes *rows = NULL, *columns = NULL, *few_rows = NULL;
  weft_distributed_plan* plan = NULL;
  weft_plan* whole = NULL;
  (void)context;
  real.kind = WEFT_R2C;
  real.spectrum = WEFT_SPECTRUM_FULL;
  cropped.output_extents = few;
  CHECK_OK(weft_comm_rank(comm, &rank));
  CHECK_OK(weft_comm_size(comm, &size));
  CHECK_OK(weft_boxes_slabs(&rows, 3, shape, 0, size, rank));
  CHECK_OK(weft_boxes_slabs(&columns, 3, shape, 1, size, rank));
  CHECK_OK(weft_boxes_slabs(&few_rows, 3, few, 0, size, rank));

  CHECK_OK(weft_plan_create(&whole, &real, NULL, NULL, NULL));
  for (int i = 0; i < count; ++i) x[i] = creal(field[i]);
  CHECK_OK(weft_execute(whole, x, wanted));
  weft_plan_destroy(whole);
  CHECK_OK(weft_distributed_plan_create(&plan, &real, rows, columns, comm, NULL));
  CHECK_OK(weft_distributed_plan_count(plan, WEFT_OUTPUT, &modes));
  take(rows, field, z);
  for (int i = 0; i < count; ++i) x[i] = creal(z[i]);
  CHECK_OK(weft_distributed_execute(plan, x, y));
  take(columns, wanted, expected);
  for (int64_t i = 0; i < modes; ++i) CHECK(cabs(y[i] - expected[i]) < 1e-11);
  weft_distributed_plan_destroy(plan);

  CHECK_OK(weft_distributed_plan_create(&plan, &cropped, rows, few_rows, comm, NULL));
  CHECK_OK(weft_distributed_execute(plan, z, y));
  CHECK_OK(weft_distributed_plan_count(plan, WEFT_OUTPUT, &modes));
  if (modes > 0) CHECK_OK(weft_boxes_get(few_rows, 0, &ndim, begin, end));
  for (int64_t i = 0; i < modes; ++i) /* few[1] * few[2] is 10 */
    CHECK(cabs(y[i] - spectrum[((begin[0] + i / 10) * n1 + i / 2 % 5) * n2 + i % 2]) < 1e-11);
  weft_distributed_plan_destroy(plan);
  weft_boxes_destroy(rows);
  weft_boxes_destroy(columns);
  weft_boxes_destroy(few_rows);
}

/* Boxes made by hand with a margin, and an order that the planner chooses. */
static void own_boxes_and_any_order(weft_comm* comm, void* context) {
  const weft_transform t = transform_of(WEFT_FORWARD);
  const int64_t low[3] = {1, 0, 0}, high[3] = {0, 2, 0};
  int64_t begin[3] = {0, 0, 0}, end[3] = {n0, n1, n2}, in_count = 0, out_count = 0;
  int rank = 0, size = 0;
  weft_box box;
  weft_boxes *in = NULL, *out = NULL;
  weft_distributed_plan* plan = NULL;
  double complex *x, y[count], expected[count];
  (void)context;
  CHECK_OK(weft_comm_rank(comm, &rank));
  CHECK_OK(weft_comm_size(comm, &size));
  begin[0] = n0 * rank / size;
  end[0] = n0 * (rank + 1) / size;
  CHECK_OK(weft_box_init(&box, sizeof box));
  box.ndim = 3;
  box.begin = begin;
  box.end = end;
  box.margin_low = low;
  box.margin_high = high;
  CHECK_OK(weft_boxes_create(&in));
  CHECK_OK(weft_boxes_add(in, &box));
  CHECK_OK(weft_distributed_plan_create(&plan, &t, in, NULL, comm, NULL));
  CHECK_OK(weft_distributed_plan_count(plan, WEFT_INPUT, &in_count));
  CHECK_OK(weft_distributed_plan_count(plan, WEFT_OUTPUT, &out_count));
  CHECK_OK(weft_distributed_plan_boxes(plan, WEFT_OUTPUT, &out));
  x = calloc((size_t)in_count + 1, sizeof *x);
  for (int64_t i = begin[0]; i < end[0]; ++i)
    for (int64_t j = 0; j < n1; ++j)
      for (int64_t k = 0; k < n2; ++k)
        x[((i - begin[0] + 1) * (n1 + 2) + j) * n2 + k] = field[(i * n1 + j) * n2 + k];
  CHECK_OK(weft_distributed_execute(plan, x, y));
  take(out, spectrum, expected);
  for (int64_t i = 0; i < out_count; ++i) CHECK(cabs(y[i] - expected[i]) < 1e-11);
  free(x);
  weft_boxes_destroy(in);
  weft_boxes_destroy(out);
  weft_distributed_plan_destroy(plan);
}

/* One rank passes nonsense: all ranks get the same error, none waits for another. */
static void ranks_fail_together(weft_comm* comm, void* context) {
  const weft_transform good = transform_of(WEFT_FORWARD);
  weft_transform bad = good;
  weft_boxes *boxes = NULL, *none = NULL;
  weft_distributed_plan* plan = NULL;
  weft_distributed_options o;
  int rank = 0, size = 0;
  double complex x[count] = {0}, y[count];
  (void)context;
  CHECK_OK(weft_comm_rank(comm, &rank));
  CHECK_OK(weft_comm_size(comm, &size));
  CHECK_OK(weft_boxes_slabs(&boxes, 3, shape, 0, size, rank));
  CHECK_OK(weft_boxes_create(&none));
  CHECK_OK(weft_distributed_options_init(&o, sizeof o));
  const int is_last = rank == size - 1;
  bad.kind = 99;
  CHECK_FAILS(weft_distributed_plan_create(&plan, is_last ? &bad : &good, boxes, boxes, comm, NULL),
              WEFT_INVALID_ARGUMENT, "kind is 99");
  CHECK(plan == NULL);
  CHECK_FAILS(weft_distributed_plan_create(&plan, is_last ? NULL : &good, boxes, boxes, comm, NULL),
              WEFT_INVALID_ARGUMENT, "weft_transform is NULL");
  CHECK_FAILS(weft_distributed_plan_create(&plan, &good, is_last ? NULL : boxes, boxes, comm, NULL),
              WEFT_INVALID_ARGUMENT, "boxes of the input");
  if (size > 1)
    CHECK_FAILS(
        weft_distributed_plan_create(&plan, &good, boxes, is_last ? NULL : boxes, comm, NULL),
        WEFT_INVALID_ARGUMENT, "some ranks");
  if (is_last) o.struct_size = 1;
  CHECK_FAILS(weft_distributed_plan_create(&plan, &good, boxes, boxes, comm, &o),
              WEFT_INVALID_ARGUMENT, "weft_distributed_options_init");
  CHECK(weft_distributed_plan_create(&plan, &good, is_last ? none : boxes, boxes, comm, NULL) ==
        WEFT_INVALID_ARGUMENT);
  CHECK_FAILS(weft_distributed_plan_create(&plan, &good, boxes, boxes, NULL, NULL),
              WEFT_INVALID_ARGUMENT, "communicator");
  CHECK_OK(weft_distributed_plan_create(&plan, &good, boxes, boxes, comm, NULL));
  CHECK(weft_distributed_execute(plan, is_last ? NULL : x, y) == WEFT_INVALID_ARGUMENT);
  CHECK_OK(weft_distributed_execute(plan, x, y));
  weft_distributed_plan_destroy(plan);
  weft_boxes_destroy(boxes);
  weft_boxes_destroy(none);
}

/* In memory that the ranks share, and what goes wrong with it. */
static void in_distributed_memory(weft_comm* comm, void* context) {
  const weft_transform t = transform_of(WEFT_FORWARD);
  weft_boxes* boxes = NULL;
  weft_distributed_memory *in = NULL, *out = NULL, *none = NULL;
  weft_distributed_plan* plan = NULL;
  weft_distributed_options o;
  int rank = -1, size = -1;
  int64_t bytes = -1;
  void *x = NULL, *y = NULL;
  double complex expected[count];
  (void)context;
  CHECK_OK(weft_comm_rank(comm, &rank));
  CHECK_OK(weft_comm_size(comm, &size));
  CHECK_OK(weft_boxes_slabs(&boxes, 3, shape, 0, size, rank));
  CHECK_OK(weft_distributed_memory_create(&in, boxes, sizeof(double complex), comm));
  CHECK_OK(weft_distributed_memory_create(&out, boxes, sizeof(double complex), comm));
  CHECK(weft_distributed_memory_create(&none, boxes, 0, comm) == WEFT_INVALID_ARGUMENT);
  CHECK(weft_distributed_memory_get(NULL, &x, &bytes) == WEFT_INVALID_ARGUMENT);
  CHECK_OK(weft_distributed_memory_get(in, &x, &bytes));
  CHECK_OK(weft_distributed_memory_get(out, &y, NULL));
  CHECK_OK(weft_distributed_options_init(&o, sizeof o));
  o.input_memory = in;
  o.output_memory = out;
  CHECK_OK(weft_distributed_plan_create(&plan, &t, boxes, boxes, comm, &o));
  weft_distributed_memory_destroy(in);
  weft_distributed_memory_destroy(out);
  take(boxes, field, x);
  CHECK_OK(weft_distributed_execute(plan, x, y));
  CHECK(weft_distributed_execute(plan, rank == 0 ? (void*)expected : x, y) ==
        WEFT_INVALID_ARGUMENT);
  CHECK_OK(weft_distributed_execute(plan, x, y));
  take(boxes, spectrum, expected);
  for (int64_t i = 0; i < bytes / 16; ++i)
    CHECK(cabs(((double complex*)y)[i] - expected[i]) < 1e-11);
  weft_distributed_plan_destroy(plan);
  weft_boxes_destroy(boxes);
}

int main(void) {
  fill_reference();
  for (int ranks = 1; ranks <= 5; ++ranks) {
    CHECK_OK(weft_run_as_threads(ranks, there_and_back, NULL));
    CHECK_OK(weft_run_as_threads(ranks, full_and_cropped, NULL));
    CHECK_OK(weft_run_as_threads(ranks, own_boxes_and_any_order, NULL));
    CHECK_OK(weft_run_as_threads(ranks, ranks_fail_together, NULL));
    CHECK_OK(weft_run_as_threads(ranks, in_distributed_memory, NULL));
  }
  CHECK(weft_run_as_threads(0, there_and_back, NULL) == WEFT_INVALID_ARGUMENT);
  return failures() != 0;
}
