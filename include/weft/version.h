/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of these headers; weft::version() and weft_version() say that of the library. The
   build reads its version from here. */
#pragma once

#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 1
#define WEFT_VERSION_PATCH 0
#define WEFT_VERSION "0.1.0"
/* One number to compare with: 10000 * major + 100 * minor + patch. */
#define WEFT_VERSION_NUMBER \
  (10000 * WEFT_VERSION_MAJOR + 100 * WEFT_VERSION_MINOR + WEFT_VERSION_PATCH)
