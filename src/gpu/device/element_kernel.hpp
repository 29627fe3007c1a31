// SPDX-License-Identifier: BSD-3-Clause
// Kernels that do the same for every element of an array: copies, twiddles, chirps, the steps of
// real-to-real transforms. Each file gives the text for one element; this adds the loop.
#pragma once

#include <string>

#include "gpu/device/driver.hpp"
#include "weft/types.hpp"

namespace weft::gpu {

/// `body` defines `struct Arguments` and `__device__ __forceinline__ void treat(const Arguments& a,
/// long long i)`. The text compiles for the host as well, where it defines
/// `extern "C" void weft_elements_on_host(const void* arguments, long long count)`.
std::string emit_element_kernel(const std::string& body);

class ElementKernel {
 public:
  /// Compiles the text of emit_element_kernel(body).
  ElementKernel(const std::string& body, const GpuDevice& device);
  ~ElementKernel();
  ElementKernel(const ElementKernel&) = delete;
  ElementKernel& operator=(const ElementKernel&) = delete;

  /// For the elements 0 to count - 1. `Arguments` has the layout of the struct in the text.
  template <class Arguments>
  void run(Arguments arguments, Index count, Stream stream) const {
    launch(&arguments, count, stream);
  }

 private:
  void launch(void* arguments, Index count, Stream stream) const;

  const GpuDevice& device_;
  void* module_ = nullptr;
  void* function_ = nullptr;
};

}  // namespace weft::gpu
