/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of heFFTe's interface for C. */
#ifndef HEFFTE_C_DEFINES_H
#define HEFFTE_C_DEFINES_H

#include "heffte_config.h"

#define Heffte_SUCCESS 0

/* Backends; the first three are all weft on CPUs. */
#define Heffte_BACKEND_STOCK 0
#define Heffte_BACKEND_FFTW 1
#define Heffte_BACKEND_MKL 2
#ifdef Heffte_ENABLE_CUDA
#define Heffte_BACKEND_CUFFT 10
#endif

#define Heffte_RESHAPE_ALGORITHM_ALLTOALLV 0
#define Heffte_RESHAPE_ALGORITHM_P2P_PLINED 1
#define Heffte_RESHAPE_ALGORITHM_P2P 2
#define Heffte_RESHAPE_ALGORITHM_ALLTOALL 3

/* By which factor a transform multiplies: 1, 1 / points of the array, the square root of that. */
#define Heffte_SCALE_NONE 0
#define Heffte_SCALE_FULL 1
#define Heffte_SCALE_SYMMETRIC 2

/* Hints: weft chooses the way of the data itself. */
typedef struct {
  int use_reorder;
  int algorithm;
  int use_pencils;
  int use_gpu_aware;
} heffte_plan_options;

typedef struct {
  int backend_type;
  int using_r2c;
  void* fft;
} heffte_fft_plan;
typedef heffte_fft_plan* heffte_plan;

#endif
