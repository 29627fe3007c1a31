/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes the place of NVIDIA's cuFFT in tests: it writes 4711 to the first number of the output, and
   42 to the second if it was given a stream. */
#include "cufft_declarations.h"

static int handles = 0;
static int is_made = 0;
static int has_stream = 0;

int cufftCreate(cufftHandle* plan) {
  *plan = ++handles;
  return 0;
}
int cufftDestroy(cufftHandle plan) { return plan > 0 && plan <= handles ? 0 : 1; }
int cufftSetAutoAllocation(cufftHandle plan, int is_on) { return plan > 0 && is_on >= 0 ? 0 : 1; }
int cufftSetWorkArea(cufftHandle plan, void* memory) { return plan > 0 && memory != NULL ? 0 : 1; }
int cufftSetStream(cufftHandle plan, void* stream) {
  has_stream = plan > 0 && stream != NULL;
  return has_stream ? 0 : 1;
}
int cufftXtMakePlanMany(cufftHandle plan, int rank, long long* n, long long* inembed,
                        long long istride, long long idist, int inputtype, long long* onembed,
                        long long ostride, long long odist, int outputtype, long long batch,
                        size_t* work_size, int executiontype) {
  (void)inembed, (void)istride, (void)idist, (void)inputtype, (void)onembed, (void)ostride;
  (void)odist, (void)outputtype, (void)executiontype;
  *work_size = 1000;
  is_made = rank > 0 && n[0] > 0 && batch > 0 && plan > 0;
  return is_made ? 0 : 4;
}
int cufftGetSize(cufftHandle plan, size_t* work_size) {
  *work_size = 1000;
  return plan > 0 ? 0 : 1;
}
int cufftXtExec(cufftHandle plan, void* in, void* out, int direction) {
  (void)in, (void)direction;
  if (!is_made || plan < 1) return 1;
  ((float*)out)[0] = 4711;
  if (has_stream) ((float*)out)[1] = 42;
  return 0;
}
int cufftXtSetCallback(cufftHandle plan, void** routine, int type, void** info) {
  (void)type, (void)info;
  return plan > 0 && routine != NULL ? 0 : 4;
}
int cufftXtSetGPUs(cufftHandle plan, int count, int* which) {
  return plan > 0 && count == 2 && which[1] == 1 ? 0 : 4;
}
int cufftGetVersion(int* version) {
  *version = 12345;
  return 0;
}
