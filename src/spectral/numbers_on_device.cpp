// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/numbers_on_device.hpp"

#include "base/index.hpp"
#include "gpu/device/arguments.hpp"
#include "reshape/copy.hpp"
#include "reshape/piece.hpp"

namespace weft::spectral {

NumbersOnDevice::NumbersOnDevice(const ModeNumbers& numbers, const gpu::GpuDevice& device) {
  if (numbers.on_device != nullptr) {
    gpu::check_on_device(numbers.on_device, device.number, "multiplier");
    data_ = numbers.on_device;
    return;
  }
  const void* from = numbers.on_host != nullptr ? numbers.on_host : numbers.bytes.data();
  const std::size_t bytes = numbers.on_host != nullptr ? numbers.host_bytes : numbers.bytes.size();
  if (bytes == 0) return;
  const gpu::UseDevice use(device);
  memory_ = gpu::DeviceMemory(bytes);
  gpu::upload(memory_.address(), from, bytes, "copying multipliers to the GPU");
  data_ = memory_.data();
}

ModeNumbers numbers_of_box(const ModeNumbers& numbers, const std::vector<Index>& spectrum,
                           const Box& box, Index element_bytes) {
  const Box whole = Box::of_shape(spectrum);
  const reshape::Strides strides = reshape::dense_strides(whole);
  ModeNumbers part;
  part.bytes.resize(static_cast<std::size_t>(box.count() * element_bytes));
  const auto* const first = static_cast<const std::byte*>(numbers.on_host) +
                            reshape::distance(whole, strides, box) * element_bytes;
  reshape::copy_box(box, first, strides, reinterpret_cast<std::byte*>(part.bytes.data()),
                    reshape::dense_strides(box), element_bytes);
  return part;
}

}  // namespace weft::spectral
