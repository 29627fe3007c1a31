/* SPDX-License-Identifier: BSD-3-Clause */
/* What must be refused with a status and a text, from C. */
#include <stddef.h>

#include "check.h"

static const int64_t shape[2] = {4, 6};

static weft_transform good_transform(void) {
  weft_transform t;
  CHECK_OK(weft_transform_init(&t, sizeof t));
  t.ndim = 2;
  t.shape = shape;
  return t;
}

static weft_status create_and_destroy(const weft_transform* t, const weft_plan_options* o) {
  weft_plan* plan = (weft_plan*)t;
  const weft_status status = weft_plan_create(&plan, t, NULL, NULL, o);
  CHECK((status == WEFT_SUCCESS) == (plan != NULL));
  weft_plan_destroy(plan);
  return status;
}

static void null_handles(void) {
  weft_transform t = good_transform();
  double x[2] = {0, 0};
  int number = 0;
  int64_t count = 0;
  char* text = NULL;
  weft_boxes* boxes = NULL;
  CHECK_FAILS(weft_plan_create(NULL, &t, NULL, NULL, NULL), WEFT_INVALID_ARGUMENT, "NULL");
  CHECK_FAILS(create_and_destroy(NULL, NULL), WEFT_INVALID_ARGUMENT, "weft_transform");
  CHECK_FAILS(weft_transform_init(NULL, sizeof t), WEFT_INVALID_ARGUMENT, "NULL");
  CHECK_FAILS(weft_execute(NULL, x, x), WEFT_INVALID_ARGUMENT, "plan");
  CHECK_FAILS(weft_execute_with(NULL, x, x, NULL), WEFT_INVALID_ARGUMENT, "plan");
  CHECK_FAILS(weft_plan_text(NULL, WEFT_TEXT_RECIPE, &text), WEFT_INVALID_ARGUMENT, "plan");
  CHECK_FAILS(weft_plan_layout(NULL, WEFT_INPUT, &number, NULL, NULL), WEFT_INVALID_ARGUMENT,
              "plan");
  CHECK_FAILS(weft_distributed_execute(NULL, x, x), WEFT_INVALID_ARGUMENT, "plan");
  CHECK_FAILS(weft_distributed_start(NULL, x, x), WEFT_INVALID_ARGUMENT, "plan");
  CHECK_FAILS(weft_distributed_test(NULL, &number), WEFT_INVALID_ARGUMENT, "plan");
  CHECK_FAILS(weft_distributed_wait(NULL), WEFT_INVALID_ARGUMENT, "plan");
  CHECK_FAILS(weft_distributed_plan_count(NULL, WEFT_INPUT, &count), WEFT_INVALID_ARGUMENT, "plan");
  CHECK_FAILS(weft_comm_rank(NULL, &number), WEFT_INVALID_ARGUMENT, "communicator");
  CHECK_FAILS(weft_boxes_add(NULL, NULL), WEFT_INVALID_ARGUMENT, "boxes");
  CHECK_FAILS(weft_boxes_slabs(&boxes, 2, NULL, 0, 2, 0), WEFT_INVALID_ARGUMENT, "shape");
  CHECK_FAILS(weft_run_as_threads(2, NULL, NULL), WEFT_INVALID_ARGUMENT, "NULL");
  weft_plan_destroy(NULL);
  weft_workspace_destroy(NULL);
  weft_comm_destroy(NULL);
  weft_boxes_destroy(NULL);
  weft_distributed_plan_destroy(NULL);
  weft_distributed_workspace_destroy(NULL);
  weft_free(NULL);
}

/* A structure of a later version: as long as it says nothing that this one does not know. */
typedef struct later_transform {
  weft_transform known;
  int64_t more[4];
} later_transform;

static void structures_of_other_sizes(void) {
  weft_transform t = good_transform();
  later_transform later;
  weft_plan_options o;
  weft_distributed_options first;
  memset(&later, -1, sizeof later);
  CHECK_OK(weft_transform_init(&later.known, sizeof later));
  later.known.ndim = 2;
  later.known.shape = shape;
  CHECK_OK(create_and_destroy(&later.known, NULL));
  later.more[3] = 1;
  CHECK_FAILS(create_and_destroy(&later.known, NULL), WEFT_UNSUPPORTED, "newer");
  t.struct_size = 0;
  CHECK_FAILS(create_and_destroy(&t, NULL), WEFT_INVALID_ARGUMENT, "weft_transform_init");
  t.struct_size = (size_t)-1;
  CHECK_FAILS(create_and_destroy(&t, NULL), WEFT_INVALID_ARGUMENT, "weft_transform_init");
  CHECK_FAILS(weft_transform_init(&t, 3), WEFT_INVALID_ARGUMENT, "struct_size");
  /* The size that the structure had before it got memories. */
  CHECK_OK(weft_distributed_options_init(&first, offsetof(weft_distributed_options, input_memory)));
  CHECK_FAILS(weft_distributed_options_init(&first, 8), WEFT_INVALID_ARGUMENT, "struct_size");
  t = good_transform();
  memset(&o, 0, sizeof o);
  CHECK_FAILS(create_and_destroy(&t, &o), WEFT_INVALID_ARGUMENT, "weft_plan_options_init");
}

static void bad_sizes_and_constants(void) {
  const int64_t negative[2] = {4, -6}, huge[2] = {INT64_MAX, INT64_MAX};
  const int axes[1] = {2};
  weft_workspace* workspace = NULL;
  weft_plan_options o;
  weft_transform t = good_transform();
  t.shape = NULL;
  CHECK_FAILS(create_and_destroy(&t, NULL), WEFT_INVALID_ARGUMENT, "shape");
  t.shape = negative;
  CHECK_FAILS(create_and_destroy(&t, NULL), WEFT_INVALID_ARGUMENT, "-6");
  t.shape = huge;
  CHECK(create_and_destroy(&t, NULL) != WEFT_SUCCESS);
  t = good_transform();
  t.ndim = -1;
  CHECK_FAILS(create_and_destroy(&t, NULL), WEFT_INVALID_ARGUMENT, "-1 dimensions");
  t.ndim = 33;
  CHECK_FAILS(create_and_destroy(&t, NULL), WEFT_INVALID_ARGUMENT, "33 dimensions");
  t = good_transform();
  t.kind = 17;
  CHECK_FAILS(create_and_destroy(&t, NULL), WEFT_INVALID_ARGUMENT, "kind is 17");
  t = good_transform();
  t.precision = -1;
  CHECK_FAILS(create_and_destroy(&t, NULL), WEFT_INVALID_ARGUMENT, "precision is -1");
  t = good_transform();
  t.axis_count = 1;
  CHECK_FAILS(create_and_destroy(&t, NULL), WEFT_INVALID_ARGUMENT, "axes");
  t.axes = axes;
  CHECK(create_and_destroy(&t, NULL) == WEFT_INVALID_ARGUMENT);
  t = good_transform();
  t.kind = WEFT_R2R;
  CHECK(create_and_destroy(&t, NULL) == WEFT_INVALID_ARGUMENT);
  t = good_transform();
  CHECK_OK(weft_plan_options_init(&o, sizeof o));
  o.threading = WEFT_THREADS_CUSTOM;
  CHECK_FAILS(create_and_destroy(&t, &o), WEFT_INVALID_ARGUMENT, "run_tasks");
  CHECK_OK(weft_plan_options_init(&o, sizeof o));
  o.threads = -2;
  CHECK(create_and_destroy(&t, &o) == WEFT_INVALID_ARGUMENT);
  o.threads = 1;
  o.recipe = "no recipe at all";
  CHECK(create_and_destroy(&t, &o) == WEFT_INVALID_ARGUMENT);
  CHECK_FAILS(weft_workspace_create(&workspace, -1), WEFT_INVALID_ARGUMENT, "-1 bytes");
  CHECK(weft_workspace_create(&workspace, INT64_MAX) == WEFT_OUT_OF_MEMORY);
  CHECK(weft_alloc(-1) == NULL);
  CHECK(weft_alloc(INT64_MAX) == NULL);
}

static void bad_arrays(void) {
  weft_transform t = good_transform();
  weft_plan* plan = NULL;
  weft_workspace* small = NULL;
  double x[2 * 24] = {0};
  int64_t bytes = 0;
  CHECK_OK(weft_plan_create(&plan, &t, NULL, NULL, NULL));
  CHECK(weft_execute(plan, NULL, x) == WEFT_INVALID_ARGUMENT);
  CHECK(weft_execute(plan, x, NULL) == WEFT_INVALID_ARGUMENT);
  CHECK(weft_execute(plan, x, x + 2) == WEFT_INVALID_ARGUMENT);
  CHECK_OK(weft_plan_workspace_bytes(plan, &bytes));
  CHECK_OK(weft_workspace_create(&small, 0));
  CHECK(weft_execute_with(plan, x, x, small) ==
        (bytes == 0 ? WEFT_SUCCESS : WEFT_INVALID_ARGUMENT));
  CHECK_FAILS(weft_execute_with(plan, x, x, NULL), WEFT_INVALID_ARGUMENT, "workspace");
  CHECK_FAILS(weft_plan_text(plan, WEFT_TEXT_RECIPE, NULL), WEFT_INVALID_ARGUMENT, "text");
  weft_workspace_destroy(small);
  weft_plan_destroy(plan);
}

static void every_status_has_a_text(void) {
  for (int status = WEFT_SUCCESS; status <= WEFT_INTERNAL; ++status)
    CHECK(strcmp(weft_status_text((weft_status)status), "unknown status") != 0);
  CHECK(strcmp(weft_status_text((weft_status)99), "unknown status") == 0);
}

int main(void) {
  CHECK(strcmp(weft_last_error(), "") == 0);
  null_handles();
  structures_of_other_sizes();
  bad_sizes_and_constants();
  bad_arrays();
  every_status_has_a_text();
  return failures() != 0;
}
