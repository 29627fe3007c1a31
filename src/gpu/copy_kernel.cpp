// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/copy_kernel.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/format.hpp"
#include "base/index.hpp"
#include "gpu/compiler.hpp"

namespace weft::gpu {
namespace {

constexpr unsigned threads = 256;

constexpr const char* kernel = R"(
struct Shape { int ndim; long long count, extents[8], in[8], out[8]; };
#ifndef __CUDACC__
#define __device__
#define __forceinline__ inline
#endif
__device__ __forceinline__ void copy_one(const Element* in, Element* out, const Shape& shape, long long i) {
  long long from = 0, to = 0;
  for (int d = 0; d < shape.ndim; ++d) {
    const long long digit = i % shape.extents[d];
    i /= shape.extents[d];
    from += digit * shape.in[d];
    to += digit * shape.out[d];
  }
  out[to] = in[from];
}
#ifdef __CUDACC__
extern "C" __global__ void weft_copy(const Element* in, Element* out, const Shape shape) {
  const long long step = (long long)(gridDim.x) * blockDim.x;
  for (long long i = (long long)(blockIdx.x) * blockDim.x + threadIdx.x; i < shape.count; i += step)
    copy_one(in, out, shape, i);
}
#else
extern "C" void weft_copy_on_host(const void* in, void* out, const void* shape) {
  for (long long i = 0; i < ((const Shape*)shape)->count; ++i)
    copy_one((const Element*)in, (Element*)out, *(const Shape*)shape, i);
}
#endif
)";

}  // namespace

std::string emit_copy_kernel(Index element_bytes) {
  const char* element = element_bytes == 2   ? "struct alignas(2) Element { unsigned short a; };"
                        : element_bytes == 4 ? "struct alignas(4) Element { unsigned a; };"
                        : element_bytes == 8
                            ? "struct alignas(8) Element { unsigned a, b; };"
                            : "struct alignas(16) Element { unsigned a, b, c, d; };";
  return std::string("// weft: copy\n") + element + kernel;
}

CopyShape copy_shape(const Box& box, const reshape::Strides& in, const reshape::Strides& out) {
  std::vector<std::size_t> axes;
  for (int d = 0; d < box.ndim; ++d)
    if (box.extent(d) > 1) axes.push_back(static_cast<std::size_t>(d));
  std::ranges::stable_sort(axes, {}, [&](std::size_t d) { return std::abs(out[d]); });
  CopyShape shape;
  shape.count = box.count();
  for (const std::size_t d : axes) {
    const Index n = box.extent(static_cast<int>(d));
    const int last = shape.ndim - 1;
    if (last >= 0 && in[d] == shape.extents[last] * shape.in[last] &&
        out[d] == shape.extents[last] * shape.out[last]) {
      shape.extents[last] *= n;  // continues the axis before it
      continue;
    }
    shape.extents[shape.ndim] = n;
    shape.in[shape.ndim] = in[d];
    shape.out[shape.ndim] = out[d];
    ++shape.ndim;
  }
  return shape;
}

CopyKernel::CopyKernel(Index element_bytes, const Device& device) : device_(device) {
  const std::vector<char> code =
      compile_cuda(emit_copy_kernel(element_bytes), 10 * device.major + device.minor);
  const UseDevice use(device);
  require(driver().module_load(&module_, code.data()), "loading the copy kernel");
  require(driver().module_function(&function_, module_, "weft_copy"), "cuModuleGetFunction");
}

CopyKernel::~CopyKernel() {
  if (module_ == nullptr) return;
  const UseDevice use(device_);
  driver().module_unload(module_);
}

void CopyKernel::run(const void* in, void* out, CopyShape shape, Stream stream) const {
  if (shape.count == 0) return;
  const Index blocks =
      std::min<Index>(ceil_div(shape.count, threads), 16 * device_.multiprocessors);
  void* arguments[] = {&in, &out, &shape};
  require(driver().launch(function_, static_cast<unsigned>(blocks), 1, 1, threads, 1, 1, 0, stream,
                          arguments, nullptr),
          "launching a copy on the GPU");
}

}  // namespace weft::gpu
