/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of one process from C, against DFTs summed up here. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "weft/weft_cuda.h"

static const double pi = 3.14159265358979323846;

static weft_transform transform_of(int kind, int ndim, const int64_t* shape) {
  weft_transform t;
  CHECK_OK(weft_transform_init(&t, sizeof t));
  t.kind = kind;
  t.ndim = ndim;
  t.shape = shape;
  return t;
}

static double complex wave(int i) { return sin(1.3 * i * i + 0.2) + I * cos(0.7 * i); }

/* Element k of the DFT of the n numbers x[0], x[stride], ... */
static double complex dft(const double complex* x, int n, int stride, int k, int sign) {
  double complex sum = 0;
  for (int j = 0; j < n; ++j) sum += x[j * stride] * cexp(sign * 2 * pi * I * ((j * k) % n) / n);
  return sum;
}

static void complex_lines_of_any_length(void) {
  for (int n = 1; n < 40; ++n) {
    const int64_t shape[1] = {n};
    weft_transform t = transform_of(WEFT_C2C, 1, shape);
    weft_plan *forward = NULL, *backward = NULL;
    double complex x[40], y[40], z[40];
    for (int i = 0; i < n; ++i) x[i] = wave(i);
    CHECK_OK(weft_plan_create(&forward, &t, NULL, NULL, NULL));
    CHECK_OK(weft_execute(forward, x, y));
    for (int k = 0; k < n; ++k) CHECK(cabs(y[k] - dft(x, n, 1, k, -1)) < 1e-12 * n);
    t.direction = WEFT_BACKWARD;
    t.normalization = WEFT_NORM_BACKWARD;
    CHECK_OK(weft_plan_create(&backward, &t, NULL, NULL, NULL));
    CHECK_OK(weft_execute(backward, y, z));
    for (int i = 0; i < n; ++i) CHECK(cabs(z[i] - x[i]) < 1e-13 * n);
    weft_plan_destroy(forward);
    weft_plan_destroy(backward);
  }
}

static void strides_axes_and_own_workspace(void) {
  enum { rows = 5, columns = 7, pitch = 9 };
  const int64_t shape[2] = {rows, columns}, strides[2] = {pitch, 1};
  const int axes[1] = {0};
  double complex x[rows * pitch], y[rows * pitch];
  weft_transform t = transform_of(WEFT_C2C, 2, shape);
  weft_plan_options o;
  weft_plan* plan = NULL;
  weft_workspace* workspace = NULL;
  int64_t bytes = -1, found_shape[WEFT_MAX_NDIM], found_strides[WEFT_MAX_NDIM];
  int ndim = 0;
  CHECK_OK(weft_plan_options_init(&o, sizeof o));
  o.threading = WEFT_THREADS_POOL;
  o.threads = 2;
  t.axis_count = 1;
  t.axes = axes;
  for (int i = 0; i < rows * pitch; ++i) x[i] = wave(i), y[i] = -1;
  CHECK_OK(weft_plan_create(&plan, &t, strides, strides, &o));
  CHECK_OK(weft_plan_workspace_bytes(plan, &bytes));
  CHECK(bytes >= 0);
  CHECK_OK(weft_workspace_create(&workspace, bytes));
  CHECK_OK(weft_execute_with(plan, x, y, workspace));
  for (int c = 0; c < pitch; ++c)
    for (int k = 0; k < rows; ++k) {
      const double complex expected = c < columns ? dft(x + c, rows, pitch, k, -1) : -1;
      CHECK(cabs(y[k * pitch + c] - expected) < 1e-12);
    }
  CHECK_OK(weft_plan_layout(plan, WEFT_INPUT, &ndim, found_shape, found_strides));
  CHECK(ndim == 2 && found_shape[1] == columns && found_strides[0] == pitch);
  weft_workspace_destroy(workspace);
  weft_plan_destroy(plan);
}

static void real_arrays(void) {
  enum { n = 10, half = n / 2 + 1 };
  const int64_t shape[1] = {n};
  const int dct[1] = {WEFT_DCT2};
  double x[n], back[n];
  double complex full[n], y[half];
  int64_t found[WEFT_MAX_NDIM];
  int ndim = 0;
  weft_transform t = transform_of(WEFT_R2C, 1, shape);
  weft_plan* plan = NULL;
  for (int i = 0; i < n; ++i) full[i] = x[i] = creal(wave(i));
  CHECK_OK(weft_plan_create(&plan, &t, NULL, NULL, NULL));
  CHECK_OK(weft_execute(plan, x, y));
  CHECK_OK(weft_plan_layout(plan, WEFT_OUTPUT, &ndim, found, NULL));
  CHECK(ndim == 1 && found[0] == half);
  for (int k = 0; k < half; ++k) CHECK(cabs(y[k] - dft(full, n, 1, k, -1)) < 1e-12);
  weft_plan_destroy(plan);

  t = transform_of(WEFT_C2R, 1, shape);
  t.normalization = WEFT_NORM_BACKWARD;
  CHECK_OK(weft_plan_create(&plan, &t, NULL, NULL, NULL));
  CHECK_OK(weft_execute(plan, y, back));
  for (int i = 0; i < n; ++i) CHECK(fabs(back[i] - x[i]) < 1e-13);
  weft_plan_destroy(plan);

  t = transform_of(WEFT_R2R, 1, shape);
  t.r2r_count = 1;
  t.r2r = dct;
  CHECK_OK(weft_plan_create(&plan, &t, NULL, NULL, NULL));
  CHECK_OK(weft_execute(plan, x, back));
  for (int k = 0; k < n; ++k) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += 2 * x[j] * cos(pi * (j + 0.5) * k / n);
    CHECK(fabs(back[k] - sum) < 1e-12);
  }
  weft_plan_destroy(plan);
}

static void single_precision(void) {
  enum { n = 12 };
  const int64_t shape[1] = {n};
  float complex x[n], y[n];
  double complex exact[n];
  weft_transform t = transform_of(WEFT_C2C, 1, shape);
  weft_plan* plan = NULL;
  t.precision = WEFT_F32;
  for (int i = 0; i < n; ++i) exact[i] = x[i] = (float complex)wave(i);
  CHECK_OK(weft_plan_create(&plan, &t, NULL, NULL, NULL));
  CHECK_OK(weft_execute(plan, x, y));
  for (int k = 0; k < n; ++k) CHECK(cabs(y[k] - dft(exact, n, 1, k, -1)) < 1e-5);
  weft_plan_destroy(plan);
}

static int calls = 0;
static void run_backwards(void* context, int tasks, void (*task)(void*, int), void* data) {
  ++*(int*)context;
  for (int i = tasks - 1; i >= 0; --i) task(data, i);
}

static void threads_of_the_caller(void) {
  const int64_t shape[2] = {64, 64};
  weft_transform t = transform_of(WEFT_C2C, 2, shape);
  weft_plan_options o;
  weft_plan* plan = NULL;
  double complex* x = weft_alloc(64 * 64 * (int64_t)sizeof(double complex));
  CHECK(x != NULL && (uintptr_t)x % 64 == 0);
  CHECK_OK(weft_plan_options_init(&o, sizeof o));
  o.threading = WEFT_THREADS_CUSTOM;
  o.threads = 3;
  o.run_tasks = run_backwards;
  o.run_context = &calls;
  for (int i = 0; i < 64 * 64; ++i) x[i] = 1;
  CHECK_OK(weft_plan_create(&plan, &t, NULL, NULL, &o));
  CHECK_OK(weft_execute(plan, x, x));
  CHECK(calls > 0);
  CHECK(cabs(x[0] - 4096) < 1e-9 && cabs(x[1]) < 1e-9 && cabs(x[4095]) < 1e-9);
  weft_plan_destroy(plan);
  weft_free(x);
}

static void texts_cost_and_recipes(void) {
  const int64_t shape[2] = {24, 30};
  weft_transform t = transform_of(WEFT_C2C, 2, shape);
  weft_plan_options o;
  weft_plan *plan = NULL, *again = NULL;
  weft_plan_cost cost;
  char *recipe = NULL, *text = NULL;
  CHECK_OK(weft_plan_create(&plan, &t, NULL, NULL, NULL));
  CHECK_OK(weft_plan_text(plan, WEFT_TEXT_RECIPE, &recipe));
  CHECK(recipe != NULL && strlen(recipe) > 4);
  for (int which = WEFT_TEXT_TREE; which <= WEFT_TEXT_EXPLAIN; ++which) {
    CHECK_OK(weft_plan_text(plan, (weft_text)which, &text));
    CHECK(text != NULL && text[0] != '\0');
    weft_free(text);
  }
  CHECK_OK(weft_plan_get_cost(plan, &cost));
  CHECK(cost.flops > 0 && cost.bytes > 0 && cost.passes > 0 && cost.predicted_s > 0);
  CHECK_OK(weft_plan_options_init(&o, sizeof o));
  o.recipe = recipe;
  CHECK_OK(weft_plan_create(&again, &t, NULL, NULL, &o));
  CHECK_OK(weft_plan_text(again, WEFT_TEXT_RECIPE, &text));
  CHECK(text != NULL && recipe != NULL && strcmp(text, recipe) == 0);
  weft_free(text);
  weft_free(recipe);
  weft_plan_destroy(again);
  weft_plan_destroy(plan);
}

static void wisdom_and_version(void) {
  char* path = NULL;
  CHECK(strcmp(weft_version(), WEFT_VERSION) == 0);
  CHECK(weft_version_number() == WEFT_VERSION_NUMBER);
  CHECK(WEFT_VERSION_NUMBER ==
        10000 * WEFT_VERSION_MAJOR + 100 * WEFT_VERSION_MINOR + WEFT_VERSION_PATCH);
  weft_wisdom_forget();
  CHECK(weft_wisdom_size() == 0);
  CHECK_FAILS(weft_wisdom_load("/no/such/file"), WEFT_IO, "/no/such/file");
  CHECK_FAILS(weft_wisdom_load(NULL), WEFT_INVALID_ARGUMENT, "NULL");
  CHECK_OK(weft_wisdom_default_path(&path));
  CHECK(path != NULL && strlen(path) > 0);
  weft_free(path);
}

static void gpus_are_there_or_refused(void) {
  const int64_t shape[1] = {16};
  const weft_transform t = transform_of(WEFT_C2C, 1, shape);
  weft_cuda_options o;
  weft_cuda_plan* plan = NULL;
  weft_cuda_workspace* workspace = NULL;
  CHECK_OK(weft_cuda_options_init(&o, sizeof o));
  CHECK_FAILS(weft_cuda_execute(NULL, NULL, NULL, NULL, NULL), WEFT_INVALID_ARGUMENT, "NULL");
  if (weft_cuda_is_available()) return;
  CHECK(weft_cuda_plan_create(&plan, &t, NULL, NULL, &o) == WEFT_UNSUPPORTED);
  CHECK(plan == NULL);
  CHECK(weft_cuda_workspace_create(&workspace, 16, 0) == WEFT_UNSUPPORTED);
  CHECK(workspace == NULL);
  weft_cuda_plan_destroy(NULL);
  weft_cuda_workspace_destroy(NULL);
}

int main(void) {
  complex_lines_of_any_length();
  strides_axes_and_own_workspace();
  real_arrays();
  single_precision();
  threads_of_the_caller();
  texts_cost_and_recipes();
  wisdom_and_version();
  gpus_are_there_or_refused();
  return failures() != 0;
}
