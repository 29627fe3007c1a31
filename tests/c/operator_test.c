/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators from C: derivatives and a Poisson equation of waves whose answers are known. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "check.h"

static const double pi = 3.14159265358979323846;

enum { rows = 12, columns = 10, points = rows * columns };

static double angle_x(int i) { return 2 * pi * (i / columns) / rows; }
static double angle_y(int i) { return 2 * pi * (i % columns) / columns; }

static weft_operator* make(int kind, int precision, const char* function,
                           const weft_operator_options* options) {
  static const int64_t shape[2] = {rows, columns};
  weft_transform t;
  weft_operator* op = NULL;
  CHECK_OK(weft_transform_init(&t, sizeof t));
  t.kind = kind;
  t.ndim = 2;
  t.shape = shape;
  t.precision = precision;
  CHECK_OK(weft_operator_create(&op, &t, function, options, NULL));
  return op;
}

static void gradient_of_a_wave(void) {
  double f[points], fx[points], fy[points];
  const void* in[1] = {f};
  void* out[2] = {fx, fy};
  int inputs = 0, outputs = 0;
  weft_operator* op = make(WEFT_R2C, WEFT_F64, "dx*u0; dy*u0", NULL);
  CHECK_OK(weft_operator_fields(op, &inputs, &outputs));
  CHECK(inputs == 1 && outputs == 2);
  for (int i = 0; i < points; ++i) f[i] = sin(angle_x(i)) * cos(2 * angle_y(i));
  CHECK_OK(weft_operator_execute(op, in, out, NULL));
  for (int i = 0; i < points; ++i) {
    CHECK(fabs(fx[i] - cos(angle_x(i)) * cos(2 * angle_y(i))) < 1e-13);
    CHECK(fabs(fy[i] + 2 * sin(angle_x(i)) * sin(2 * angle_y(i))) < 1e-13);
  }
  weft_operator_destroy(op);
}

static void poisson_in_place_with_lengths(void) {
  const double lengths[2] = {1, 3};
  float complex u[points];
  const void* in[1] = {u};
  void* out[1] = {u};
  weft_operator_options o;
  weft_workspace* workspace = NULL;
  int64_t bytes = 0;
  char* text = NULL;
  CHECK_OK(weft_operator_options_init(&o, sizeof o));
  o.lengths = lengths;
  weft_operator* op = make(WEFT_C2C, WEFT_F32, "where(k2 == 0, 0, -1/k2) * u0", &o);
  CHECK_OK(weft_operator_workspace_bytes(op, &bytes));
  CHECK_OK(weft_workspace_create(&workspace, bytes));
  for (int i = 0; i < points; ++i) u[i] = (float complex)(cos(angle_x(i) - angle_y(i)) + 5);
  CHECK_OK(weft_operator_execute(op, in, out, workspace));
  for (int i = 0; i < points; ++i) {
    const double k2 = 4 * pi * pi * (1 + 1.0 / 9);
    CHECK(cabs(u[i] + cos(angle_x(i) - angle_y(i)) / k2) < 1e-6);
  }
  CHECK_OK(weft_operator_explain(op, &text));
  CHECK(text != NULL && strlen(text) > 10);
  weft_free(text);
  weft_workspace_destroy(workspace);
  weft_operator_destroy(op);
}

static void x_may_be_the_last_axis(void) {
  double f[points], g[points];
  const void* in[1] = {f};
  void* out[1] = {g};
  weft_operator_options o;
  CHECK_OK(weft_operator_options_init(&o, sizeof o));
  o.x_is_last = 1;
  weft_operator* op = make(WEFT_R2C, WEFT_F64, "dx*u0", &o);
  for (int i = 0; i < points; ++i) f[i] = sin(angle_y(i));
  CHECK_OK(weft_operator_execute(op, in, out, NULL));
  for (int i = 0; i < points; ++i) CHECK(fabs(g[i] - cos(angle_y(i))) < 1e-13);
  weft_operator_destroy(op);
}

static void wrong_calls_are_refused(void) {
  const int64_t shape[1] = {8};
  weft_transform t;
  weft_plan_options o;
  weft_operator* op = NULL;
  double x[8] = {0};
  const void* in[1] = {x};
  CHECK_OK(weft_transform_init(&t, sizeof t));
  t.kind = WEFT_R2C;
  t.ndim = 1;
  t.shape = shape;
  CHECK(weft_operator_create(&op, &t, "u0 * foo", NULL, NULL) == WEFT_INVALID_ARGUMENT);
  CHECK(op == NULL && strstr(weft_last_error(), "at character 6") != NULL);
  CHECK(weft_operator_create(&op, &t, "ky*u0", NULL, NULL) == WEFT_INVALID_ARGUMENT);
  CHECK(weft_operator_create(&op, &t, NULL, NULL, NULL) == WEFT_INVALID_ARGUMENT);
  CHECK(weft_operator_create(&op, NULL, "u0", NULL, NULL) == WEFT_INVALID_ARGUMENT);
  CHECK_OK(weft_plan_options_init(&o, sizeof o));
  o.recipe = "axes 0: scalar:lines(8)";
  CHECK(weft_operator_create(&op, &t, "u0", NULL, &o) == WEFT_INVALID_ARGUMENT);
  CHECK(weft_operator_execute(NULL, in, NULL, NULL) == WEFT_INVALID_ARGUMENT);
  CHECK_OK(weft_operator_create(&op, &t, "u0", NULL, NULL));
  CHECK(weft_operator_execute(op, in, NULL, NULL) == WEFT_INVALID_ARGUMENT);
  CHECK(weft_operator_fields(op, NULL, NULL) == WEFT_INVALID_ARGUMENT);
  weft_operator_destroy(op);
  weft_operator_destroy(NULL);
}

int main(void) {
  gradient_of_a_wave();
  poisson_in_place_with_lengths();
  x_may_be_the_last_axis();
  wrong_calls_are_refused();
  return failures() != 0;
}
