// SPDX-License-Identifier: BSD-3-Clause
// Copies boxes between places with any strides in device memory: what no transform carries along.
#pragma once

#include <string>

#include "gpu/driver.hpp"
#include "reshape/piece.hpp"

namespace weft::gpu {

/// The kernel as text; it compiles for the host as well, see emit_kernel.hpp.
std::string emit_copy_kernel(Index element_bytes);

/// What the kernel is told; extents and strides from the fastest axis of the target to the slowest.
struct CopyShape {
  int ndim = 0;
  Index count = 0;
  Index extents[max_box_ndim] = {}, in[max_box_ndim] = {}, out[max_box_ndim] = {};
};
CopyShape copy_shape(const Box& box, const reshape::Strides& in, const reshape::Strides& out);

class CopyKernel {
 public:
  /// `element_bytes` is 2, 4, 8 or 16.
  CopyKernel(Index element_bytes, const Device& device);
  ~CopyKernel();
  CopyKernel(const CopyKernel&) = delete;
  CopyKernel& operator=(const CopyKernel&) = delete;

  void run(const void* in, void* out, CopyShape shape, Stream stream) const;

 private:
  const Device& device_;
  void* module_ = nullptr;
  void* function_ = nullptr;
};

}  // namespace weft::gpu
