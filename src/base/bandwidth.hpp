// SPDX-License-Identifier: BSD-3-Clause
// The copy bandwidth of this machine, with which passes over memory are compared. It is measured,
// because neither the operating system nor the CPU reports it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft {

enum class Store {
  ordinary,
  non_temporal,  ///< bypasses the caches; the cache lines of the target are not read first
};

struct CopyMeasurement {
  std::size_t bytes = 0;  ///< source plus target of one thread
  int threads = 1;
  Store store = Store::ordinary;
  double seconds = 0.01;  ///< how long to measure; the result is the best of several repetitions
};

/// Bytes read plus bytes written per second, over all threads. Throws weft::Error if the memory
/// cannot be allocated.
double copy_bandwidth(const CopyMeasurement& what);

/// A cache level with a working set that fits well inside it, or main memory with a working set
/// much larger than the caches.
struct MemoryLevel {
  std::string name;       ///< L1, L2, L3, memory
  std::size_t bytes = 0;  ///< suggested CopyMeasurement::bytes for `threads` threads
};
std::vector<MemoryLevel> memory_levels(int threads);

/// The copy bandwidth of the innermost level that holds `working_set_bytes` divided among
/// `threads`; the better of both kinds of store. Takes some tens of milliseconds; the result is not
/// cached.
double copy_bandwidth_for(std::size_t working_set_bytes, int threads);

}  // namespace weft
