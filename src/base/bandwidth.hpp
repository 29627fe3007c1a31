// SPDX-License-Identifier: BSD-3-Clause
// How fast this machine copies: the yardstick for "passes over memory". Measured, because neither
// the kernel nor the CPU tells.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft {

enum class Store {
  ordinary,
  non_temporal,  ///< past the caches; saves reading the target's lines first
};

struct CopyMeasurement {
  std::size_t bytes = 0;  ///< touched by one thread: source and target together
  int threads = 1;
  Store store = Store::ordinary;
  double seconds = 0.01;  ///< how long to measure; the best of several repetitions counts
};

/// Bytes read plus bytes written per second, over all threads. Throws weft::Error when the memory
/// cannot be had.
double copy_bandwidth(const CopyMeasurement& what);

/// A cache level or main memory, with a working set that stays well inside (or far outside) it.
struct MemoryLevel {
  std::string name;       ///< L1, L2, L3, memory
  std::size_t bytes = 0;  ///< suggested CopyMeasurement::bytes for `threads` threads
};
std::vector<MemoryLevel> memory_levels(int threads);

/// The best copy bandwidth through the innermost level that holds `working_set_bytes` cut among
/// `threads`, over both kinds of store. Takes some ten milliseconds; nothing is remembered.
double copy_bandwidth_for(std::size_t working_set_bytes, int threads);

}  // namespace weft
