// SPDX-License-Identifier: BSD-3-Clause
// What the planner and the cost model know of a GPU.
#pragma once

#include <cstddef>

#include "weft/types.hpp"

namespace weft::gpu {

/// The defaults are the numbers of an H200; numbers_of(device) reads those of a device.
struct DeviceNumbers {
  std::size_t shared_bytes = 227 * 1024;  ///< that one block may have
  /// Blocks that may hold a tile together: 1 before compute capability 9.0, 16 where the chip has
  /// groups of as many multiprocessors.
  int largest_cluster = 16;

  Index multiprocessors = 132;
  // Of one multiprocessor.
  Index shared_of_multiprocessor = 228 * 1024;
  Index registers = 65536;
  Index threads = 2048;
  Index blocks = 32;

  double copy_bytes_per_s = 4.2e12;  ///< read and written, by a copy
};

}  // namespace weft::gpu
