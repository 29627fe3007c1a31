/* SPDX-License-Identifier: BSD-3-Clause */
/* One transform, from C: a cosine of three periods has two peaks in its spectrum. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft/weft.h>

static void check(weft_status status) {
  if (status == WEFT_SUCCESS) return;
  fprintf(stderr, "weft: %s\n", weft_last_error());
  exit(1);
}

int main(void) {
  enum { n = 60 };
  const int64_t shape[1] = {n};
  const double pi = acos(-1.0);
  double complex wave[n], spectrum[n];
  for (int i = 0; i < n; ++i) wave[i] = cos(2 * pi * 3 * i / n);

  weft_transform transform;
  check(weft_transform_init(&transform, sizeof transform));
  transform.kind = WEFT_C2C;
  transform.ndim = 1;
  transform.shape = shape;

  weft_plan* plan = NULL;
  check(weft_plan_create(&plan, &transform, NULL, NULL, NULL));
  check(weft_execute(plan, wave, spectrum));

  double error = 0;
  for (int k = 0; k < n; ++k)
    error = fmax(error, cabs(spectrum[k] - (k == 3 || k == n - 3 ? n / 2.0 : 0)));
  printf("weft %s: peaks at 3 and %d, largest error %.1e\n", weft_version(), n - 3, error);
  weft_plan_destroy(plan);
  return error < 1e-12 ? 0 : 1;
}
