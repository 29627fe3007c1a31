// SPDX-License-Identifier: BSD-3-Clause
// The numbers that a function of the modes reads, in device memory.
#pragma once

#include "gpu/device/driver.hpp"
#include "spectral/mode_function_text.hpp"

namespace weft::spectral {

class NumbersOnDevice {
 public:
  NumbersOnDevice() = default;
  /// Copies those that lie on the host.
  NumbersOnDevice(const ModeNumbers& numbers, const gpu::GpuDevice& device);
  const void* data() const { return data_; }
  std::size_t bytes() const { return memory_.bytes(); }  ///< that are copied

 private:
  gpu::DeviceMemory memory_;
  const void* data_ = nullptr;
};

/// Those of a box alone, where they lie on the host and there is one for every mode: packed, so
/// that `numbers.bytes` has them. `spectrum` are the extents of all modes.
ModeNumbers numbers_of_box(const ModeNumbers& numbers, const std::vector<Index>& spectrum,
                           const Box& box, Index element_bytes);

}  // namespace weft::spectral
