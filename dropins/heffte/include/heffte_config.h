/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs written for heFFTe ask about the build: its version and its backends. The backends
   fftw, stock and mkl are weft on CPUs. A program that uses weft on GPUs (backend cufft) defines
   Heffte_ENABLE_CUDA and links the CUDA runtime. */
#ifndef HEFFTE_CONFIG_H
#define HEFFTE_CONFIG_H

#define Heffte_VERSION_MAJOR 2
#define Heffte_VERSION_MINOR 4
#define Heffte_VERSION_PATCH 1
#define Heffte_GIT_HASH "weft"

#define Heffte_ENABLE_FFTW
#define Heffte_ENABLE_MKL

#ifdef Heffte_ENABLE_CUDA
#define Heffte_ENABLE_GPU
#endif

#endif
