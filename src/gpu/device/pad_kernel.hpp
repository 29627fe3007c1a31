// SPDX-License-Identifier: BSD-3-Clause
// Copies a contiguous array into a longer one with zeros around it, and the corner of such a one
// back: what padded operators do that are done in steps.
#pragma once

#include <string>
#include <vector>

#include "gpu/device/element_kernel.hpp"

namespace weft::gpu {

/// The text for one element, see element_kernel.hpp: an element of the whole array when it pads,
/// of the corner when it crops. `element_bytes` is 4, 8 or 16.
std::string emit_pad(const std::vector<Index>& whole, const std::vector<Index>& corner,
                     Index element_bytes, bool crops);

class PadKernel {
 public:
  enum class Work { pad, crop };
  PadKernel(Work work, const std::vector<Index>& whole, const std::vector<Index>& corner,
            Index element_bytes, const GpuDevice& device);
  void run(const void* in, void* out, Stream stream) const;

 private:
  ElementKernel kernel_;
  Index count_;
};

}  // namespace weft::gpu
