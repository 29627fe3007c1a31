/* SPDX-License-Identifier: BSD-3-Clause */
/* Every function of weft.h with arguments that make no sense: a status and a text, never a crash.
 */
#include "check.h"

static const int64_t shape[3] = {4, 6, 5};

/* Refused, with a text that is not the one of an earlier failure. */
#define CHECK_REFUSED(call)                                                                      \
  do {                                                                                           \
    weft_set_last_error(WEFT_SUCCESS, "");                                                       \
    if ((call) == WEFT_SUCCESS) check_failed(__FILE__, __LINE__, #call " was taken");            \
    if (strlen(weft_last_error()) < 10) check_failed(__FILE__, __LINE__, #call " says nothing"); \
  } while (0)

static weft_transform transform_of(int ndim) {
  weft_transform t;
  CHECK_OK(weft_transform_init(&t, sizeof t));
  t.ndim = ndim;
  t.shape = shape;
  return t;
}

static void results_to_nowhere(void) {
  weft_transform t = transform_of(1);
  weft_plan* plan = NULL;
  weft_plan_cost cost;
  int64_t bytes = 0;
  int ndim = 0;
  char* text = NULL;
  CHECK_OK(weft_plan_create(&plan, &t, NULL, NULL, NULL));
  CHECK_REFUSED(weft_plan_workspace_bytes(plan, NULL));
  CHECK_REFUSED(weft_plan_workspace_bytes(NULL, &bytes));
  CHECK_REFUSED(weft_plan_layout(plan, WEFT_INPUT, NULL, NULL, NULL));
  CHECK_REFUSED(weft_plan_layout(plan, (weft_side)7, &ndim, NULL, NULL));
  CHECK_REFUSED(weft_plan_layout(plan, (weft_side)-1, &ndim, NULL, NULL));
  CHECK_REFUSED(weft_plan_text(plan, (weft_text)99, &text));
  CHECK_REFUSED(weft_plan_text(plan, (weft_text)-1, &text));
  CHECK_REFUSED(weft_plan_get_cost(plan, NULL));
  CHECK_REFUSED(weft_plan_get_cost(NULL, &cost));
  weft_plan_destroy(plan);
  CHECK_REFUSED(weft_workspace_create(NULL, 64));
  CHECK_REFUSED(weft_workspace_from_memory(NULL, NULL, 0));
  CHECK_REFUSED(weft_plan_options_init(NULL, sizeof(weft_plan_options)));
  CHECK_REFUSED(weft_box_init(NULL, sizeof(weft_box)));
  CHECK_REFUSED(weft_distributed_options_init(NULL, sizeof(weft_distributed_options)));
}

static void workspaces(void) {
  weft_workspace* workspace = NULL;
  char* memory = weft_alloc(256);
  CHECK_REFUSED(weft_workspace_from_memory(&workspace, NULL, 64));
  CHECK_REFUSED(weft_workspace_from_memory(&workspace, memory + 1, 64));
  CHECK_REFUSED(weft_workspace_from_memory(&workspace, memory, -64));
  CHECK(workspace == NULL);
  weft_free(memory);
}

static void layouts_and_split_arrays(void) {
  const int64_t same[2] = {0, 0}, far[2] = {INT64_MAX, INT64_MAX / 2};
  weft_transform t = transform_of(2);
  weft_plan* plan = NULL;
  weft_plan_options o;
  double x[60] = {0}, y[60] = {0};
  CHECK_REFUSED(weft_plan_create(&plan, &t, NULL, same, NULL)); /* outputs on each other */
  CHECK_REFUSED(weft_plan_create(&plan, &t, far, NULL, NULL));
  CHECK_OK(weft_plan_options_init(&o, sizeof o));
  o.input_storage = 9;
  CHECK_REFUSED(weft_plan_create(&plan, &t, NULL, NULL, &o));
  CHECK(plan == NULL);
  o.input_storage = o.output_storage = WEFT_SPLIT;
  CHECK_OK(weft_plan_create(&plan, &t, NULL, NULL, &o));
  CHECK_REFUSED(weft_execute(plan, x, y)); /* it has two arrays on each side */
  CHECK_REFUSED(weft_execute_split(plan, x, NULL, y, y + 30, NULL));
  CHECK_REFUSED(weft_execute_split(plan, NULL, x, y, y + 30, NULL));
  CHECK_REFUSED(weft_execute_split(plan, x, x + 30, y, NULL, NULL));
  CHECK_REFUSED(weft_execute_split(plan, x, x + 30, y, y + 5, NULL)); /* they overlap */
  CHECK_REFUSED(weft_execute_split(NULL, x, x + 30, y, y + 30, NULL));
  CHECK_OK(weft_execute_split(plan, x, x + 30, y, y + 30, NULL));
  weft_plan_destroy(plan);
}

static void wisdom(void) {
  CHECK_REFUSED(weft_wisdom_load(NULL));
  CHECK_REFUSED(weft_wisdom_save(NULL));
  CHECK_REFUSED(weft_wisdom_to_text(NULL));
  CHECK_REFUSED(weft_wisdom_from_text(NULL));
  CHECK_REFUSED(weft_wisdom_default_path(NULL));
  CHECK_FAILS(weft_wisdom_from_text("{\"weft\": 7"), WEFT_WISDOM, "");
  CHECK_FAILS(weft_wisdom_load("/no/such/folder/wisdom"), WEFT_IO, "/no/such/folder");
  CHECK_FAILS(weft_wisdom_save("/proc/nothing/wisdom"), WEFT_IO, "/proc/nothing");
  CHECK_REFUSED(weft_wisdom_gather(NULL));
}

static void ranks(weft_comm* comm, void* context);

static void boxes(void) {
  const int64_t begin[3] = {0, 0, 0}, block[3] = {0, 1, 1};
  const int grid[3] = {2, 1, 1}, bad_grid[3] = {0, 1, 1};
  int numbers[3];
  int64_t count = 0, from[WEFT_MAX_BOX_NDIM], to[WEFT_MAX_BOX_NDIM];
  int ndim = 0;
  weft_box box;
  weft_boxes *list = NULL, *other = NULL;
  CHECK_REFUSED(weft_boxes_create(NULL));
  CHECK_OK(weft_boxes_create(&list));
  CHECK_REFUSED(weft_boxes_add(list, NULL));
  CHECK_OK(weft_box_init(&box, sizeof box));
  box.ndim = 3;
  CHECK_REFUSED(weft_boxes_add(list, &box)); /* no bounds */
  box.begin = begin;
  box.end = shape;
  box.ndim = WEFT_MAX_BOX_NDIM + 1;
  CHECK_REFUSED(weft_boxes_add(list, &box));
  CHECK_OK(weft_boxes_count(list, &count));
  CHECK(count == 0);
  CHECK_REFUSED(weft_boxes_count(list, NULL));
  CHECK_REFUSED(weft_boxes_get(list, 0, &ndim, from, to));
  CHECK_REFUSED(weft_boxes_get(list, -1, &ndim, from, to));
  CHECK_REFUSED(weft_boxes_get(NULL, 0, &ndim, from, to));
  weft_boxes_destroy(list);
  CHECK_REFUSED(weft_boxes_bricks(&other, 3, shape, NULL, 0));
  CHECK_REFUSED(weft_boxes_bricks(&other, 3, shape, bad_grid, 0));
  CHECK_REFUSED(weft_boxes_bricks(&other, -3, shape, grid, 0));
  CHECK_REFUSED(weft_boxes_bricks(NULL, 3, shape, grid, 0));
  CHECK_REFUSED(weft_boxes_slabs(&other, 3, shape, 3, 2, 0));
  CHECK_REFUSED(weft_boxes_slabs(&other, 3, shape, 0, 0, 0));
  CHECK_REFUSED(weft_boxes_pencils(&other, 3, shape, -4, 2, 0));
  CHECK_REFUSED(weft_boxes_block_cyclic(&other, 3, shape, grid, block, 0));
  CHECK_REFUSED(weft_boxes_block_cyclic(&other, 3, shape, grid, NULL, 0));
  CHECK_REFUSED(weft_balanced_grid(3, shape, 0, 0, NULL, numbers));
  CHECK_REFUSED(weft_balanced_grid(3, shape, 4, 0, NULL, NULL));
  CHECK_REFUSED(weft_balanced_grid(3, shape, 4, 2, NULL, numbers));
  CHECK(other == NULL);
  CHECK_REFUSED(weft_run_as_threads(0, ranks, NULL));
  CHECK_REFUSED(weft_run_as_threads(-3, ranks, NULL));
}

static void plan_of(weft_comm* comm, const weft_boxes* in, const weft_boxes* out,
                    const weft_distributed_options* options, weft_distributed_plan** plan,
                    int succeeds) {
  weft_transform t = transform_of(3);
  const weft_status status = weft_distributed_plan_create(plan, &t, in, out, comm, options);
  CHECK((status == WEFT_SUCCESS) == succeeds);
  CHECK((*plan != NULL) == succeeds);
  CHECK(succeeds || strlen(weft_last_error()) > 10);
}

/* A plan whose first box is not one: refused on all ranks. */
static void plan_of_bad_box(weft_comm* comm, const weft_box* box, const weft_boxes* out) {
  weft_boxes* in = NULL;
  weft_distributed_plan* plan = NULL;
  CHECK_OK(weft_boxes_create(&in));
  CHECK_OK(weft_boxes_add(in, box));
  plan_of(comm, in, out, NULL, &plan, 0);
  weft_boxes_destroy(in);
}

static void bad_boxes(weft_comm* comm, const weft_boxes* out) {
  const int64_t begin[3] = {0, 0, 0}, later[3] = {3, 6, 5}, negative[3] = {-1, 0, 0};
  const int64_t strides[3] = {INT64_MAX, INT64_MAX, 1};
  const int twice[3] = {0, 0, 1};
  weft_box box;
  CHECK_OK(weft_box_init(&box, sizeof box));
  box.ndim = 3;
  box.begin = later; /* it ends before it begins */
  box.end = begin;
  plan_of_bad_box(comm, &box, out);
  box.begin = begin;
  box.end = shape;
  box.order = twice;
  plan_of_bad_box(comm, &box, out);
  box.order = NULL;
  box.margin_low = negative;
  plan_of_bad_box(comm, &box, out);
  box.margin_low = NULL;
  box.strides = strides;
  plan_of_bad_box(comm, &box, out);
  box.strides = NULL;
  box.begin = negative; /* outside the array */
  plan_of_bad_box(comm, &box, out);
}

typedef struct first_plan {
  weft_distributed_workspace* workspaces[3]; /* of three ranks */
} first_plan;

/* On every rank together: boxes that do not cover the array, that are for another number of ranks,
   a workspace of a plan on other ranks. */
static void ranks(weft_comm* comm, void* context) {
  first_plan* first = context;
  weft_boxes *rows = NULL, *of_three = NULL, *none = NULL;
  weft_distributed_plan* plan = NULL;
  weft_distributed_options o;
  double data[2 * 120] = {0};
  int rank = 0, size = 0, done = 0;
  int64_t count = 0;
  CHECK_OK(weft_comm_rank(comm, &rank));
  CHECK_OK(weft_comm_size(comm, &size));
  CHECK_REFUSED(weft_comm_rank(comm, NULL));
  CHECK_OK(weft_boxes_slabs(&rows, 3, shape, 0, size, rank));
  CHECK_OK(weft_boxes_slabs(&of_three, 3, shape, 0, 3, rank));
  CHECK_OK(weft_boxes_create(&none));
  CHECK_OK(weft_distributed_options_init(&o, sizeof o));
  plan_of(comm, of_three, rows, NULL, &plan, 0);
  plan_of(comm, none, rows, NULL, &plan, 0);
  bad_boxes(comm, rows);
  plan_of(comm, rank == 0 ? rows : NULL, rows, NULL, &plan, 0); /* one rank forgot */
  o.exchange = 77;
  plan_of(comm, rows, rows, &o, &plan, 0);
  CHECK_OK(weft_distributed_options_init(&o, sizeof o));
  o.chunks = -1;
  plan_of(comm, rows, rows, &o, &plan, 0);
  CHECK_OK(weft_distributed_options_init(&o, sizeof o));
  o.recipe = rank == 0 ? "nonsense" : NULL;
  plan_of(comm, rows, rows, &o, &plan, 0);
  CHECK_OK(weft_distributed_options_init(&o, sizeof o));
  o.workspace = first->workspaces[rank]; /* of a plan on other ranks */
  plan_of(comm, rows, rows, &o, &plan, 0);

  plan_of(comm, rows, rows, NULL, &plan, 1);
  CHECK_REFUSED(weft_distributed_execute(plan, NULL, rank == 0 ? NULL : data));
  CHECK_REFUSED(weft_distributed_plan_count(plan, (weft_side)5, &count));
  CHECK_REFUSED(weft_distributed_plan_count(plan, WEFT_INPUT, NULL));
  CHECK_REFUSED(weft_distributed_plan_boxes(plan, WEFT_INPUT, NULL));
  CHECK_REFUSED(weft_distributed_test(plan, NULL));
  CHECK_OK(weft_distributed_execute(plan, data, data + 120)); /* and it still works */
  CHECK_OK(weft_distributed_test(plan, &done));
  weft_distributed_plan_destroy(plan);
  weft_boxes_destroy(rows);
  weft_boxes_destroy(of_three);
  weft_boxes_destroy(none);
}

static void earlier_ranks(weft_comm* comm, void* context) {
  first_plan* first = context;
  weft_boxes* rows = NULL;
  weft_distributed_plan* plan = NULL;
  int rank = 0, size = 0;
  CHECK_OK(weft_comm_rank(comm, &rank));
  CHECK_OK(weft_comm_size(comm, &size));
  CHECK_OK(weft_boxes_slabs(&rows, 3, shape, 0, size, rank));
  plan_of(comm, rows, rows, NULL, &plan, 1);
  CHECK_OK(weft_distributed_plan_workspace(plan, &first->workspaces[rank]));
  weft_distributed_plan_destroy(plan);
  weft_boxes_destroy(rows);
}

int main(void) {
  first_plan first = {{NULL, NULL, NULL}};
  results_to_nowhere();
  workspaces();
  layouts_and_split_arrays();
  wisdom();
  boxes();
  CHECK_OK(weft_run_as_threads(3, earlier_ranks, &first));
  CHECK_OK(weft_run_as_threads(2, ranks, &first));
  weft_distributed_workspace_destroy(first.workspaces[0]);
  weft_distributed_workspace_destroy(first.workspaces[1]);
  weft_distributed_workspace_destroy(first.workspaces[2]);
  return failures() != 0;
}
