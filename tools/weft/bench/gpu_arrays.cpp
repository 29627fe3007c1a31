// SPDX-License-Identifier: BSD-3-Clause
#include "bench/gpu_arrays.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/device/compiler.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

constexpr const char* text = R"(
typedef unsigned long long u64;
__device__ double uniform(u64 i, u64 seed) {
  u64 z = (i + 1) * 0x9e3779b97f4a7c15ull + seed * 0xd1342543de82ef95ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return double((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
}
__device__ double read(const void* p, int precision, u64 i) {
  if (precision == 2) return ((const double*)p)[i];
  if (precision == 1) return ((const float*)p)[i];
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(((const unsigned short*)p)[i]));
  return x;
}
__device__ void sum_up(double* sums, int which, double value) {
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(~0u, value, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sums + which, value);
}
#define EACH(i, n) for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x)
extern "C" __global__ void fill(void* p, int precision, u64 n, double amplitude, u64 seed) {
  EACH(i, n) {
    const double x = amplitude * uniform(i, seed);
    if (precision == 2) ((double*)p)[i] = x;
    else if (precision == 1) ((float*)p)[i] = float(x);
    else {
      unsigned short h;
      asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(float(x)));
      ((unsigned short*)p)[i] = h;
    }
  }
}
extern "C" __global__ void widen(const void* p, int precision, double* q, u64 n) {
  EACH(i, n) q[i] = read(p, precision, i);
}
extern "C" __global__ void compare(const void* p, int precision, const double* q, u64 n, double* sums) {
  double error = 0, norm = 0;
  EACH(i, n) {
    const double x = read(p, precision, i), y = q[i];
    error += (x - y) * (x - y);
    norm += y * y;
  }
  sum_up(sums, 0, error);
  sum_up(sums, 1, norm);
}
extern "C" __global__ void direct(const double* x, int is_complex, u64 a, u64 b, u64 c, u64 ka, u64 kb, u64 kc, double* sums) {
  double re = 0, im = 0;
  EACH(i, a * b * c) {
    const u64 n2 = i % c, n1 = i / c % b, n0 = i / c / b;
    const double angle = -2.0 * (double(n0 * ka % a) / a + double(n1 * kb % b) / b + double(n2 * kc % c) / c);
    double s, w;
    sincospi(angle, &s, &w);
    const double xr = is_complex ? x[2 * i] : x[i], xi = is_complex ? x[2 * i + 1] : 0;
    re += xr * w - xi * s;
    im += xr * s + xi * w;
  }
  sum_up(sums, 0, re);
  sum_up(sums, 1, im);
}
)";

}  // namespace

GpuArrays::GpuArrays(const gpu::GpuDevice& device) {
  const auto code = gpu::compile_cuda(text, 10 * device.major + device.minor);
  gpu::require(gpu::driver().module_load(&module_, code.data()), "loading the benchmark's kernels");
  sums_ = gpu::DeviceMemory(2 * sizeof(double));
}

GpuArrays::~GpuArrays() { gpu::driver().module_unload(module_); }

void GpuArrays::launch(const char* name, Index threads, std::vector<void*> arguments,
                       void* stream) const {
  void* function = nullptr;
  gpu::require(gpu::driver().module_function(&function, module_, name), name);
  const auto blocks = static_cast<unsigned>(std::clamp<Index>(threads / 256, 1, 132 * 16));
  gpu::require(
      gpu::driver().launch(function, blocks, 1, 1, 256, 1, 1, 0, stream, arguments.data(), nullptr),
      name);
}

std::vector<double> GpuArrays::sums(int count, void* stream) const {
  gpu::require(gpu::driver().stream_synchronize(stream), "summing on the GPU");
  std::vector<double> values(static_cast<std::size_t>(count));
  gpu::require(
      gpu::driver().copy_to_host(values.data(), sums_.address(), values.size() * sizeof(double)),
      "copying from the GPU");
  return values;
}

void GpuArrays::fill(void* array, Precision precision, Index reals, double amplitude, unsigned seed,
                     void* stream) const {
  int p = static_cast<int>(precision);
  auto n = static_cast<unsigned long long>(reals);
  unsigned long long s = seed;
  launch("fill", reals, {&array, &p, &n, &amplitude, &s}, stream);
}

void GpuArrays::widen(const void* array, Precision precision, void* f64, Index reals,
                      void* stream) const {
  int p = static_cast<int>(precision);
  auto n = static_cast<unsigned long long>(reals);
  launch("widen", reals, {&array, &p, &f64, &n}, stream);
}

double GpuArrays::difference(const void* a, Precision precision, const void* b, Index reals,
                             void* stream) const {
  int p = static_cast<int>(precision);
  auto n = static_cast<unsigned long long>(reals);
  gpu::DevicePointer sums_address = sums_.address();
  gpu::require(gpu::driver().set_bytes(sums_address, 0, sums_.bytes()), "clearing GPU memory");
  gpu::require(gpu::driver().context_synchronize(), "clearing GPU memory");
  launch("compare", reals, {&a, &p, &b, &n, &sums_address}, stream);
  const auto values = sums(2, stream);
  return std::sqrt(values[0] / values[1]);
}

std::complex<double> GpuArrays::direct_sum(const void* f64, bool is_complex,
                                           const std::vector<Index>& shape,
                                           const std::vector<Index>& k, void* stream) const {
  unsigned long long n[3] = {1, 1, 1}, index[3] = {0, 0, 0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    n[3 - shape.size() + d] = static_cast<unsigned long long>(shape[d]);
    index[3 - shape.size() + d] = static_cast<unsigned long long>(k[d]);
  }
  int complex = is_complex ? 1 : 0;
  gpu::DevicePointer sums_address = sums_.address();
  gpu::require(gpu::driver().set_bytes(sums_address, 0, sums_.bytes()), "clearing GPU memory");
  gpu::require(gpu::driver().context_synchronize(), "clearing GPU memory");
  launch("direct", static_cast<Index>(n[0] * n[1] * n[2]),
         {&f64, &complex, &n[0], &n[1], &n[2], &index[0], &index[1], &index[2], &sums_address},
         stream);
  const auto values = sums(2, stream);
  return {values[0], values[1]};
}

}  // namespace weft::tool
