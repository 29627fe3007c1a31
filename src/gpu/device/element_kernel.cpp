// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device/element_kernel.hpp"

#include <algorithm>
#include <vector>

#include "base/index.hpp"
#include "gpu/device/compiler.hpp"

namespace weft::gpu {
namespace {

constexpr unsigned element_threads = 256;

constexpr const char* loop_head = R"(
#ifndef __CUDACC__
#define __device__
#define __forceinline__ inline
#endif
)";
constexpr const char* loop_tail = R"(
#ifdef __CUDACC__
extern "C" __global__ void weft_elements(const Arguments arguments, const long long count) {
  const long long step = (long long)(gridDim.x) * blockDim.x;
  for (long long i = (long long)(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    treat(arguments, i);
}
#else
extern "C" void weft_elements_on_host(const void* arguments, long long count) {
  for (long long i = 0; i < count; ++i) treat(*(const Arguments*)arguments, i);
}
#endif
)";

}  // namespace

std::string emit_element_kernel(const std::string& body) { return loop_head + body + loop_tail; }

ElementKernel::ElementKernel(const std::string& body, const GpuDevice& device) : device_(device) {
  const std::vector<char> code =
      compile_cuda(emit_element_kernel(body), 10 * device.major + device.minor);
  const UseDevice use(device);
  require(driver().module_load(&module_, code.data()), "loading a kernel");
  require(driver().module_function(&function_, module_, "weft_elements"), "cuModuleGetFunction");
}

ElementKernel::~ElementKernel() {
  if (module_ == nullptr) return;
  const UseDevice use(device_, std::nothrow);
  driver().module_unload(module_);
}

void ElementKernel::launch(void* arguments, Index count, Stream stream) const {
  if (count == 0) return;
  const Index blocks =
      std::min<Index>(ceil_div(count, element_threads), 16 * device_.multiprocessors);
  void* pointers[] = {arguments, &count};
  require(driver().launch(function_, static_cast<unsigned>(blocks), 1, 1, element_threads, 1, 1, 0,
                          stream, pointers, nullptr),
          "launching a kernel on the GPU");
}

}  // namespace weft::gpu
