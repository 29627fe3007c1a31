/* SPDX-License-Identifier: BSD-3-Clause */
/* heFFTe's interface, on weft: for programs that were written for heFFTe, in C++11 or newer and in
   C. Everything is computed by libweft_heffte; docs/dropins.md says what differs. */
#ifndef HEFFTE_H
#define HEFFTE_H

#ifdef __cplusplus
#include "heffte_fft3d.h"
#include "heffte_fft3d_r2c.h"
#else
#include "heffte_c.h"
#endif

#endif
