/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms by their definitions, and the names of one precision of FFTW's interface. Written
   without a word of weft, against fftw3.h alone. */
#ifndef WEFT_TESTS_DROPINS_NAIVE_H
#define WEFT_TESTS_DROPINS_NAIVE_H

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fftw3.h"
#ifdef TEST_MPI
#include "fftw3-mpi.h"
#endif

#ifdef TEST_FLOAT
#define X(name) fftwf_##name
#define TOLERANCE 2e-5
typedef float R;
#else
#define X(name) fftw_##name
#define TOLERANCE 1e-13
typedef double R;
#endif
typedef X(complex) C;

static int failure_count = 0;
#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      ++failure_count;                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                 \
  } while (0)

/* Numbers in [-1, 1), the same in every run. */
static unsigned long long random_state = 88172645463325252ULL;
static unsigned long long random_bits(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}
static inline int random_below(int n) { return (int)(random_bits() % (unsigned long long)n); }
static double random_real(void) { return (double)(random_bits() >> 11) / 4503599627370496.0 - 1; }

static const double pi = 3.14159265358979323846264338327950288;

/* Entry (k, j) of the matrix of a real-to-real transform of n points. */
static double r2r_entry(enum weft_fftw_kind kind, int n, int k, int j) {
  double angle = 2 * pi * (double)((long long)j * k % n) / n;
  switch (kind) {
    case FFTW_R2HC: return k <= n / 2 ? cos(angle) : sin(angle);
    case FFTW_HC2R:
      if (j == 0) return 1;
      if (2 * j == n) return k % 2 ? -1 : 1;
      if (j < (n + 1) / 2) return 2 * cos(angle);
      return -2 * sin(2 * pi * (double)((long long)(n - j) * k % n) / n);
    case FFTW_DHT: return cos(angle) + sin(angle);
    case FFTW_REDFT00:
      if (j == 0) return 1;
      if (j == n - 1) return k % 2 ? -1 : 1;
      return 2 * cos(pi * j * k / (n - 1));
    case FFTW_REDFT10: return 2 * cos(pi * (j + 0.5) * k / n);
    case FFTW_REDFT01: return j == 0 ? 1 : 2 * cos(pi * j * (k + 0.5) / n);
    case FFTW_REDFT11: return 2 * cos(pi * (j + 0.5) * (k + 0.5) / n);
    case FFTW_RODFT00: return 2 * sin(pi * (j + 1) * (k + 1) / (n + 1));
    case FFTW_RODFT10: return 2 * sin(pi * (j + 0.5) * (k + 1) / n);
    case FFTW_RODFT01: return j == n - 1 ? (k % 2 ? -1 : 1) : 2 * sin(pi * (j + 1) * (k + 0.5) / n);
    case FFTW_RODFT11: return 2 * sin(pi * (j + 0.5) * (k + 0.5) / n);
  }
  return 0;
}

/* Transforms the middle index of an array outer x n x inner, in place. `kind` null: by the DFT. */
static void naive_axis(double complex* x, int outer, int n, int inner, int sign,
                       const enum weft_fftw_kind* kind) {
  double complex line[4096];
  for (int o = 0; o < outer; ++o)
    for (int i = 0; i < inner; ++i) {
      double complex* first = x + (size_t)o * n * inner + i;
      for (int k = 0; k < n; ++k) {
        line[k] = 0;
        for (int j = 0; j < n; ++j) {
          double angle = sign * 2 * pi * (double)((long long)j * k % n) / n;
          double complex entry =
              kind ? (double complex)r2r_entry(*kind, n, k, j) : cos(angle) + I * sin(angle);
          line[k] += entry * first[(size_t)j * inner];
        }
      }
      for (int k = 0; k < n; ++k) first[(size_t)k * inner] = line[k];
    }
}

/* All axes of a batch of contiguous arrays. */
static inline void naive(double complex* x, int batch, int rank, const int* n, int sign,
                         const enum weft_fftw_kind* kinds) {
  int outer = batch, count = 1;
  for (int d = 0; d < rank; ++d) count *= n[d];
  for (int d = 0; d < rank; ++d) {
    count /= n[d];
    naive_axis(x, outer, n[d], count, sign, kinds ? kinds + d : NULL);
    outer *= n[d];
  }
}

/* The largest difference between two arrays, relative to the largest value. */
static inline double difference(const double complex* a, const double complex* b, size_t count) {
  double largest = 1e-300, error = 0;
  for (size_t i = 0; i < count; ++i) {
    largest = fmax(largest, cabs(b[i]));
    error = fmax(error, cabs(a[i] - b[i]));
    if (isnan(creal(a[i])) || isnan(cimag(a[i]))) return 1;
  }
  return error / largest;
}

#endif
