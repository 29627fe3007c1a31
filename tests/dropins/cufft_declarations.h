/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of cuFFT's interface that the tests call; machines without CUDA have no cufft.h. */
#ifndef WEFT_TESTS_CUFFT_DECLARATIONS_H
#define WEFT_TESTS_CUFFT_DECLARATIONS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int cufftHandle;
enum { CUFFT_C2C = 0x29, CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c };
enum { CUFFT_Z2Z = 0x69, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c };
enum { CUFFT_FORWARD = -1, CUFFT_INVERSE = 1 };

int cufftCreate(cufftHandle* plan);
int cufftDestroy(cufftHandle plan);
int cufftPlan1d(cufftHandle* plan, int nx, int type, int batch);
int cufftPlan2d(cufftHandle* plan, int nx, int ny, int type);
int cufftPlan3d(cufftHandle* plan, int nx, int ny, int nz, int type);
int cufftPlanMany(cufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist,
                  int* onembed, int ostride, int odist, int type, int batch);
int cufftMakePlan1d(cufftHandle plan, int nx, int type, int batch, size_t* work_size);
int cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, int type, size_t* work_size);
int cufftMakePlanMany64(cufftHandle plan, int rank, long long* n, long long* inembed,
                        long long istride, long long idist, long long* onembed, long long ostride,
                        long long odist, int type, long long batch, size_t* work_size);
int cufftXtMakePlanMany(cufftHandle plan, int rank, long long* n, long long* inembed,
                        long long istride, long long idist, int inputtype, long long* onembed,
                        long long ostride, long long odist, int outputtype, long long batch,
                        size_t* work_size, int executiontype);
int cufftEstimate1d(int nx, int type, int batch, size_t* work_size);
int cufftGetSize(cufftHandle plan, size_t* work_size);
int cufftGetSize1d(cufftHandle plan, int nx, int type, int batch, size_t* work_size);
int cufftSetAutoAllocation(cufftHandle plan, int is_on);
int cufftSetWorkArea(cufftHandle plan, void* memory);
int cufftSetStream(cufftHandle plan, void* stream);
int cufftExecC2C(cufftHandle plan, void* in, void* out, int direction);
int cufftExecR2C(cufftHandle plan, void* in, void* out);
int cufftExecC2R(cufftHandle plan, void* in, void* out);
int cufftExecZ2Z(cufftHandle plan, void* in, void* out, int direction);
int cufftExecD2Z(cufftHandle plan, void* in, void* out);
int cufftExecZ2D(cufftHandle plan, void* in, void* out);
int cufftXtExec(cufftHandle plan, void* in, void* out, int direction);
int cufftXtSetGPUs(cufftHandle plan, int count, int* which);
int cufftXtSetCallback(cufftHandle plan, void** routine, int type, void** info);
int cufftGetVersion(int* version);
int cufftGetProperty(int type, int* value);

#ifdef __cplusplus
}
#endif

#endif
