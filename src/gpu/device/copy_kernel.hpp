// SPDX-License-Identifier: BSD-3-Clause
// Copies boxes with any strides in device memory, where no transform can read or write them itself.
#pragma once

#include <string>

#include "gpu/device/element_kernel.hpp"
#include "reshape/piece.hpp"

namespace weft::gpu {

/// The text for one element, see element_kernel.hpp; `element_bytes` is 2, 4, 8 or 16.
std::string emit_copy(Index element_bytes);

/// What the kernel is told; extents and strides from the fastest axis of the target to the slowest.
struct CopyShape {
  int ndim = 0;
  int conjugates = 0;  ///< 1: each element, which is complex, is conjugated
  Index count = 0;
  Index extents[max_box_ndim] = {}, in[max_box_ndim] = {}, out[max_box_ndim] = {};
};
CopyShape copy_shape(const Box& box, const reshape::Strides& in, const reshape::Strides& out,
                     bool conjugates = false);

struct CopyArguments {
  const void* in;
  void* out;
  CopyShape shape;
};

class CopyKernel {
 public:
  CopyKernel(Index element_bytes, const GpuDevice& device)
      : kernel_(emit_copy(element_bytes), device) {}
  void run(const void* in, void* out, const CopyShape& shape, Stream stream) const {
    kernel_.run(CopyArguments{in, out, shape}, shape.count, stream);
  }

 private:
  ElementKernel kernel_;
};

}  // namespace weft::gpu
