/* SPDX-License-Identifier: BSD-3-Clause */
/* The basic and the advanced interface, and those of Fortran 77, which go through them; compared
   with the definitions. */
#include "naive.h"

#ifdef TEST_FLOAT
#define F77(name) sfftw_##name##_
#else
#define F77(name) dfftw_##name##_
#endif
void F77(plan_dft_2d)(X(plan) *, const int*, const int*, C*, C*, const int*, const int*);
void F77(plan_dft_r2c_3d)(X(plan) *, const int*, const int*, const int*, R*, C*, const int*);
void F77(plan_r2r_2d)(X(plan) *, const int*, const int*, R*, R*, const int*, const int*,
                      const int*);
void F77(plan_many_dft)(X(plan) *, const int*, const int*, const int*, C*, const int*, const int*,
                        const int*, C*, const int*, const int*, const int*, const int*, const int*);
void F77(plan_guru_dft)(X(plan) *, const int*, const int*, const int*, const int*, const int*,
                        const int*, const int*, const int*, C*, C*, const int*, const int*);
void F77(execute)(X(plan) *);
void F77(execute_dft)(X(plan) *, C*, C*);
void F77(destroy_plan)(X(plan) *);

enum { room = 8192 };
static C cin[room], cout[room];
static R rin[room], rout[room];
static double complex x[room], y[room], z[room];

/* Makes input of `count` numbers, transforms it by the definition. */
static void expect_dft(int batch, int rank, const int* n, int sign) {
  size_t count = (size_t)batch;
  for (int d = 0; d < rank; ++d) count *= (size_t)n[d];
  for (size_t i = 0; i < count; ++i) {
    x[i] = y[i] = random_real() + I * random_real();
    cin[i] = (C)x[i];
  }
  naive(y, batch, rank, n, sign, NULL);
}
static void check_complex(size_t count) {
  for (size_t i = 0; i < count; ++i) z[i] = cout[i];
  CHECK(difference(z, y, count) < TOLERANCE);
}
static void run_and_destroy(X(plan) plan) {
  CHECK(plan != NULL);
  if (plan != NULL) X(execute)(plan);
  X(destroy_plan)(plan);
}

static void check_c2c(void) {
  const int n[4] = {5, 3, 7, 2};
  for (int sign = -1; sign <= 1; sign += 2) {
    expect_dft(1, 1, n, sign);
    run_and_destroy(X(plan_dft_1d)(5, cin, cout, sign, FFTW_ESTIMATE));
    check_complex(5);
    expect_dft(1, 2, n, sign);
    run_and_destroy(X(plan_dft_2d)(5, 3, cin, cout, sign, FFTW_MEASURE));
    check_complex(15);
    expect_dft(1, 3, n, sign);
    run_and_destroy(X(plan_dft_3d)(5, 3, 7, cin, cout, sign, FFTW_ESTIMATE));
    check_complex(105);
    expect_dft(1, 4, n, sign);
    run_and_destroy(X(plan_dft)(4, n, cin, cout, sign, FFTW_ESTIMATE));
    check_complex(210);
    expect_dft(1, 4, n, sign);
    memcpy(cout, cin, sizeof cin);
    run_and_destroy(X(plan_dft)(4, n, cout, cout, sign, FFTW_ESTIMATE));
    check_complex(210);
  }
}

/* Real arrays, in place with padded rows as well. */
static void check_real(void) {
  const int shapes[3][3] = {{12, 1, 1}, {3, 7, 1}, {4, 3, 6}};
  for (int rank = 1; rank <= 3; ++rank)
    for (int in_place = 0; in_place < 2; ++in_place) {
      const int* n = shapes[rank - 1];
      const int last = n[rank - 1], half = last / 2 + 1;
      int count = 1, kept = 0;
      for (int d = 0; d < rank; ++d) count *= n[d];
      R* reals = in_place ? (R*)cout : rin;
      const int row = in_place ? 2 * half : last;
      X(plan)
      there = rank == 1   ? X(plan_dft_r2c_1d)(n[0], reals, cout, FFTW_ESTIMATE)
              : rank == 2 ? X(plan_dft_r2c_2d)(n[0], n[1], reals, cout, FFTW_ESTIMATE)
              : in_place  ? X(plan_dft_r2c)(3, n, reals, cout, FFTW_ESTIMATE)
                          : X(plan_dft_r2c_3d)(n[0], n[1], n[2], reals, cout, 0);
      X(plan)
      back = rank == 1   ? X(plan_dft_c2r_1d)(n[0], cout, reals, FFTW_ESTIMATE)
             : rank == 2 ? X(plan_dft_c2r_2d)(n[0], n[1], cout, reals, FFTW_ESTIMATE)
             : in_place  ? X(plan_dft_c2r)(3, n, cout, reals, FFTW_ESTIMATE)
                         : X(plan_dft_c2r_3d)(n[0], n[1], n[2], cout, reals, 0);
      CHECK(there != NULL && back != NULL);
      for (int i = 0; i < count; ++i) {
        x[i] = y[i] = random_real();
        reals[i / last * row + i % last] = (R)creal(x[i]);
      }
      naive(y, 1, rank, n, -1, NULL);
      for (int i = 0; i < count; ++i)
        if (i % last < half) y[kept++] = y[i];
      X(execute)(there);
      check_complex((size_t)kept);
      X(execute)(back);
      for (int i = 0; i < count; ++i) z[i] = reals[i / last * row + i % last] / (R)count;
      CHECK(difference(z, x, (size_t)count) < TOLERANCE);
      X(destroy_plan)(there);
      X(destroy_plan)(back);
    }
}

static void check_r2r_result(int rank, const int* n, const X(r2r_kind) * kinds, X(plan) plan) {
  int count = 1;
  for (int d = 0; d < rank; ++d) count *= n[d];
  for (int i = 0; i < count; ++i) {
    y[i] = random_real();
    rin[i] = (R)creal(y[i]);
  }
  naive(y, 1, rank, n, -1, kinds);
  run_and_destroy(plan);
  for (int i = 0; i < count; ++i) z[i] = rout[i];
  CHECK(difference(z, y, (size_t)count) < TOLERANCE);
}
static void check_r2r(void) {
  const int n[3] = {6, 5, 4};
  for (int k = 0; k < 11; ++k) {
    const X(r2r_kind) kinds[3] = {(X(r2r_kind))k, (X(r2r_kind))((k + 3) % 11), FFTW_REDFT10};
    check_r2r_result(1, n, kinds, X(plan_r2r_1d)(6, rin, rout, kinds[0], FFTW_ESTIMATE));
    check_r2r_result(2, n, kinds, X(plan_r2r_2d)(6, 5, rin, rout, kinds[0], kinds[1], 64));
    check_r2r_result(3, n, kinds,
                     X(plan_r2r_3d)(6, 5, 4, rin, rout, kinds[0], kinds[1], kinds[2], 64));
    check_r2r_result(3, n, kinds, X(plan_r2r)(3, n, rin, rout, kinds, FFTW_ESTIMATE));
  }
}

/* Three 2-D transforms, interleaved point by point on one side and inside larger rows on the other.
 */
static void check_many(void) {
  const int n[2] = {4, 5}, embed[2] = {4, 7};
  expect_dft(3, 2, n, -1);
  run_and_destroy(
      X(plan_many_dft)(2, n, 3, cin, NULL, 1, 20, cout, embed, 3, 1, -1, FFTW_ESTIMATE));
  for (int b = 0; b < 3; ++b)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 5; ++j) z[20 * b + 5 * i + j] = cout[3 * (7 * i + j) + b];
  CHECK(difference(z, y, 60) < TOLERANCE);
  /* Rows of reals, one after the other, to columns of modes. */
  const int length = 9;
  for (int i = 0; i < 27; ++i) {
    y[i] = random_real();
    rin[i] = (R)creal(y[i]);
  }
  naive(y, 3, 1, &length, -1, NULL);
  run_and_destroy(X(plan_many_dft_r2c)(1, &length, 3, rin, NULL, 1, 9, cout, NULL, 3, 1, 64));
  for (int b = 0; b < 3; ++b)
    for (int k = 0; k < 5; ++k) CHECK(cabs(cout[3 * k + b] - y[9 * b + k]) < 9 * TOLERANCE);
  run_and_destroy(X(plan_many_dft_c2r)(1, &length, 3, cout, NULL, 3, 1, rout, NULL, 1, 9, 64));
  for (int i = 0; i < 27; ++i) CHECK(fabs((double)(rout[i] / 9 - rin[i])) < 9 * TOLERANCE);
  const X(r2r_kind) kind = FFTW_RODFT01;
  for (int i = 0; i < 27; ++i) y[i] = rin[i];
  naive(y, 3, 1, &length, -1, &kind);
  run_and_destroy(X(plan_many_r2r)(1, &length, 3, rin, NULL, 1, 9, rout, NULL, 3, 1, &kind, 64));
  for (int i = 0; i < 27; ++i)
    CHECK(fabs((double)rout[3 * (i % 9) + i / 9] - creal(y[i])) < 20 * TOLERANCE);
}

/* Fortran's first dimension is C's last. */
static void check_fortran(void) {
  const int three = 3, five = 5, four = 4, two = 2, one = 1, forward = -1, estimate = 64;
  const int n[3] = {5, 3, 4};
  X(plan) plan = NULL;
  expect_dft(1, 2, n, -1);
  F77(plan_dft_2d)(&plan, &three, &five, cin, cout, &forward, &estimate);
  CHECK(plan != NULL);
  F77(execute)(&plan);
  check_complex(15);
  memset(cout, 0, sizeof cout);
  F77(execute_dft)(&plan, cin, cout);
  check_complex(15);
  F77(destroy_plan)(&plan);

  F77(plan_dft_r2c_3d)(&plan, &four, &three, &five, rin, cout, &estimate);
  for (int i = 0; i < 60; ++i) {
    y[i] = random_real();
    rin[i] = (R)creal(y[i]);
  }
  naive(y, 1, 3, n, -1, NULL);
  for (int i = 0; i < 45; ++i) y[i] = y[i / 3 * 4 + i % 3];
  run_and_destroy(plan);
  check_complex(45);

  const X(r2r_kind) kinds[2] = {FFTW_REDFT10, FFTW_RODFT11};
  const int first = FFTW_RODFT11, second = FFTW_REDFT10;
  F77(plan_r2r_2d)(&plan, &three, &five, rin, rout, &first, &second, &estimate);
  check_r2r_result(2, n, kinds, plan);

  const int columns[2] = {3, 5}, fifteen = 15;
  expect_dft(2, 2, n, -1);
  F77(plan_many_dft)(&plan, &two, columns, &two, cin, columns, &one, &fifteen, cout, columns, &one,
                     &fifteen, &forward, &estimate);
  run_and_destroy(plan);
  check_complex(30);
  expect_dft(2, 1, n, -1);
  F77(plan_guru_dft)(&plan, &one, &five, &one, &one, &one, &two, &five, &five, cin, cout, &forward,
                     &estimate);
  run_and_destroy(plan);
  check_complex(10);
}

int main(void) {
  check_c2c();
  check_real();
  check_r2r();
  check_many();
  check_fortran();
  return failure_count != 0;
}
