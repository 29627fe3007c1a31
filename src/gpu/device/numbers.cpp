// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device/numbers.hpp"

namespace weft::gpu {

DeviceNumbers numbers_of(const GpuDevice& device) {
  constexpr double copied = 0.854;  // of what the memory's clock and bus promise, on an H200
  const bool is_large_chip = device.major == 9 || device.major == 10;
  DeviceNumbers numbers;
  numbers.shared_bytes = device.shared_bytes;
  numbers.largest_cluster = device.major < 9 ? 1 : is_large_chip ? 16 : 8;
  numbers.multiprocessors = device.multiprocessors;
  numbers.shared_of_multiprocessor = static_cast<Index>(device.multiprocessor_shared_bytes);
  numbers.registers = device.multiprocessor_registers;
  numbers.threads = device.multiprocessor_threads;
  numbers.blocks = device.multiprocessor_blocks;
  // Some devices do not tell the clock of their memory.
  if (device.memory_bytes_per_s > 0) numbers.copy_bytes_per_s = copied * device.memory_bytes_per_s;
  return numbers;
}

}  // namespace weft::gpu
