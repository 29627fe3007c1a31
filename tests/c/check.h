/* SPDX-License-Identifier: BSD-3-Clause */
/* CHECK and its relatives count failures; a test's main() returns failures() != 0. */
#ifndef WEFT_TESTS_C_CHECK_H
#define WEFT_TESTS_C_CHECK_H

#include <stdio.h>
#include <string.h>

#include "weft/weft.h"

static int failure_count = 0;

static int failures(void) { return failure_count; }

static void check_failed(const char* file, int line, const char* what) {
  ++failure_count;
  fprintf(stderr, "%s:%d: %s; last error: %s\n", file, line, what, weft_last_error());
}

#define CHECK(condition)                                            \
  do {                                                              \
    if (!(condition)) check_failed(__FILE__, __LINE__, #condition); \
  } while (0)
#define CHECK_OK(call) CHECK((call) == WEFT_SUCCESS)
/* Fails with this status, and the error speaks of `words`. */
#define CHECK_FAILS(call, status, words)                                    \
  do {                                                                      \
    if ((call) != (status) || strstr(weft_last_error(), (words)) == NULL)   \
      check_failed(__FILE__, __LINE__, #call " should fail with " #status); \
  } while (0)

#endif
