/* SPDX-License-Identifier: BSD-3-Clause */
/* What else a transform can be, from C: no axis, full spectra, padded, split, inverse, in memory of
   the caller, transposed in place, of inputs that share memory, halfcomplex, orthogonal. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"

enum { n = 12 };
static const int64_t shape[1] = {n};
static double complex x[n], spectrum[n];

static weft_transform transform_of(int kind) {
  weft_transform t;
  CHECK_OK(weft_transform_init(&t, sizeof t));
  t.kind = kind;
  t.ndim = 1;
  t.shape = shape;
  return t;
}

static void run(const weft_transform* t, const void* in, void* out) {
  weft_plan* plan = NULL;
  CHECK_OK(weft_plan_create(&plan, t, NULL, NULL, NULL));
  CHECK_OK(weft_execute(plan, in, out));
  weft_plan_destroy(plan);
}

static void no_axis_is_a_copy(void) {
  const int none = 0;
  weft_transform t = transform_of(WEFT_C2C);
  double complex y[n];
  t.axes = &none;
  t.axis_count = 0;
  run(&t, x, y);
  for (int i = 0; i < n; ++i) CHECK(y[i] == x[i]);
}

static void the_way_back(void) {
  weft_transform t = transform_of(WEFT_C2C);
  double complex y[n];
  t.normalization = WEFT_NORM_BACKWARD;
  t.inverse = 1;
  run(&t, spectrum, y);
  for (int i = 0; i < n; ++i) CHECK(cabs(y[i] - x[i]) < 1e-13);
}

static void full_spectra_of_reals(void) {
  weft_transform t = transform_of(WEFT_R2C), c = transform_of(WEFT_C2C);
  double real[n];
  double complex copy[n], full[n], expected[n];
  for (int i = 0; i < n; ++i) copy[i] = real[i] = creal(x[i]);
  t.spectrum = WEFT_SPECTRUM_FULL;
  run(&t, real, full);
  run(&c, copy, expected);
  for (int k = 0; k < n; ++k) CHECK(cabs(full[k] - expected[k]) < 1e-12);
}

static void shorter_inputs_are_padded(void) {
  const int64_t extents[1] = {5};
  weft_transform t = transform_of(WEFT_C2C), c = transform_of(WEFT_C2C);
  double complex padded[n] = {0}, y[n], expected[n];
  for (int i = 0; i < 5; ++i) padded[i] = x[i];
  t.input_extents = extents;
  run(&t, x, y);
  run(&c, padded, expected);
  for (int k = 0; k < n; ++k) CHECK(cabs(y[k] - expected[k]) < 1e-12);
}

static void split_numbers(void) {
  const weft_transform t = transform_of(WEFT_C2C);
  double re[n], im[n], out_re[n], out_im[n];
  double complex y[n];
  weft_plan_options o;
  weft_plan* plan = NULL;
  weft_workspace* workspace = NULL;
  int64_t bytes = 0;
  for (int i = 0; i < n; ++i) re[i] = creal(x[i]), im[i] = cimag(x[i]);
  CHECK_OK(weft_plan_options_init(&o, sizeof o));
  o.input_storage = WEFT_SPLIT;
  o.output_storage = WEFT_SPLIT;
  CHECK_OK(weft_plan_create(&plan, &t, NULL, NULL, &o));
  CHECK_OK(weft_plan_workspace_bytes(plan, &bytes));
  void* memory = weft_alloc(bytes);
  CHECK_OK(weft_workspace_from_memory(&workspace, memory, bytes));
  CHECK_OK(weft_execute_split(plan, re, im, out_re, out_im, workspace));
  for (int k = 0; k < n; ++k) CHECK(cabs(out_re[k] + I * out_im[k] - spectrum[k]) < 1e-12);
  CHECK(weft_execute(plan, x, y) == WEFT_INVALID_ARGUMENT);
  CHECK_FAILS(weft_execute_split(plan, x, NULL, y, NULL, NULL), WEFT_INVALID_ARGUMENT, "split");
  weft_workspace_destroy(workspace);
  weft_free(memory);
  weft_plan_destroy(plan);

  o.output_storage = WEFT_INTERLEAVED;
  CHECK_OK(weft_plan_create(&plan, &t, NULL, NULL, &o));
  CHECK_OK(weft_execute_split(plan, re, im, y, NULL, NULL));
  for (int k = 0; k < n; ++k) CHECK(cabs(y[k] - spectrum[k]) < 1e-12);
  weft_plan_destroy(plan);
}

/* In place with other strides on the two sides: the transforms of the columns of a matrix of 3 x n
   come out as rows of its transpose. */
static void a_transposition_in_place(void) {
  const int64_t matrix[2] = {3, n}, in[2] = {n, 1}, out[2] = {1, 3};
  const int last = 1;
  double complex a[3 * n], expected[3 * n];
  weft_transform t = transform_of(WEFT_C2C), row = t;
  weft_plan_options o;
  weft_plan* plan = NULL;
  t.ndim = 2;
  t.shape = matrix;
  t.axes = &last;
  t.axis_count = 1;
  for (int i = 0; i < 3 * n; ++i) a[i] = x[i % n] * (1 + i / n);
  for (int j = 0; j < 3; ++j) run(&row, a + j * n, expected + j * n);
  CHECK_OK(weft_plan_options_init(&o, sizeof o));
  o.in_place = 1;
  CHECK_OK(weft_plan_create(&plan, &t, in, out, &o));
  CHECK_OK(weft_execute(plan, a, a));
  for (int j = 0; j < 3; ++j)
    for (int k = 0; k < n; ++k) CHECK(cabs(a[3 * k + j] - expected[j * n + k]) < 1e-12);
  weft_plan_destroy(plan);
}

/* Windows that slide over a line by 2 points, and one row for all. */
static void inputs_that_share_memory(void) {
  const int64_t windows[2] = {4, 6}, strides[2][2] = {{2, 1}, {0, 1}}, line[1] = {6};
  const int last = 1;
  weft_transform t = transform_of(WEFT_C2C), one = t;
  t.ndim = 2;
  t.shape = windows;
  t.axes = &last;
  t.axis_count = 1;
  one.shape = line;
  for (int way = 0; way < 2; ++way) {
    double complex y[24], expected[6];
    weft_plan* plan = NULL;
    CHECK_OK(weft_plan_create(&plan, &t, strides[way], NULL, NULL));
    CHECK_OK(weft_execute(plan, x, y));
    for (int j = 0; j < 4; ++j) {
      run(&one, x + j * strides[way][0], expected);
      for (int k = 0; k < 6; ++k) CHECK(cabs(y[6 * j + k] - expected[k]) < 1e-12);
    }
    weft_plan_destroy(plan);
  }
}

static void halfcomplex_is_the_half_spectrum(void) {
  const int kinds[2] = {WEFT_R2HC, WEFT_HC2R};
  weft_transform t = transform_of(WEFT_R2R), r = transform_of(WEFT_R2C);
  double real[n], half[n], again[n];
  double complex modes[n / 2 + 1];
  for (int i = 0; i < n; ++i) real[i] = creal(x[i]);
  t.r2r_count = 1;
  t.r2r = kinds;
  run(&t, real, half);
  run(&r, real, modes);
  for (int k = 0; k <= n / 2; ++k) CHECK(fabs(half[k] - creal(modes[k])) < 1e-12);
  for (int k = 1; k < n / 2; ++k) CHECK(fabs(half[n - k] - cimag(modes[k])) < 1e-12);
  t.r2r = kinds + 1;
  run(&t, half, again);
  for (int i = 0; i < n; ++i) CHECK(fabs(again[i] - n * real[i]) < 1e-12);
}

static void orthogonal_cosines_keep_the_length(void) {
  const int kind = WEFT_DCT1;
  weft_transform t = transform_of(WEFT_R2R);
  double real[n], modes[n], before = 0, after = 0;
  for (int i = 0; i < n; ++i) real[i] = creal(x[i]) + 1;
  for (int i = 0; i < n; ++i) before += real[i] * real[i];
  t.r2r_count = 1;
  t.r2r = &kind;
  t.normalization = WEFT_NORM_ORTHO;
  t.orthogonalize = 1;
  run(&t, real, modes);
  for (int k = 0; k < n; ++k) after += modes[k] * modes[k];
  CHECK(fabs(before - after) < 1e-12 * before);
}

static void wisdom_as_text(void) {
  char* text = NULL;
  CHECK_OK(weft_wisdom_to_text(&text));
  CHECK(text != NULL && strstr(text, "weft wisdom") != NULL);
  CHECK_OK(weft_wisdom_from_text(text));
  weft_free(text);
  CHECK(weft_wisdom_from_text("{") == WEFT_WISDOM);
  CHECK_FAILS(weft_wisdom_from_text(NULL), WEFT_INVALID_ARGUMENT, "NULL");
  CHECK_FAILS(weft_wisdom_gather(NULL), WEFT_INVALID_ARGUMENT, "NULL");
}

static void gather_wisdom(weft_comm* comm, void* context) {
  (void)context;
  CHECK_OK(weft_wisdom_gather(comm));
}

int main(void) {
  const weft_transform t = transform_of(WEFT_C2C);
  for (int i = 0; i < n; ++i) x[i] = sin(1.3 * i * i) + I * cos(0.7 * i);
  run(&t, x, spectrum);
  no_axis_is_a_copy();
  the_way_back();
  full_spectra_of_reals();
  shorter_inputs_are_padded();
  split_numbers();
  a_transposition_in_place();
  inputs_that_share_memory();
  halfcomplex_is_the_half_spectrum();
  orthogonal_cosines_keep_the_length();
  wisdom_as_text();
  CHECK_OK(weft_run_as_threads(3, gather_wisdom, NULL));
  return failures() != 0;
}
