/* SPDX-License-Identifier: BSD-3-Clause */
/* WEFT_API stands before everything that a shared libweft exports; all else in it is hidden. */
#pragma once

#if defined(__GNUC__)
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif
