// SPDX-License-Identifier: BSD-3-Clause
// What weft knows about this machine: CPU, cores, caches, instruction sets, pages. Read from Linux'
// files in /sys and /proc, which needs no library and takes less than a millisecond.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft {

/// One level of data cache of a core.
struct Cache {
  int level = 0;
  std::size_t bytes = 0;
  std::size_t line_bytes = 64;
  int ways = 0;     ///< 0: unknown
  int sharers = 1;  ///< hardware threads that share it
};

struct Machine {
  std::string cpu;           ///< model name given by the manufacturer
  std::string architecture;  ///< x86_64, aarch64, ...
  std::string vendor;        ///< GenuineIntel, AuthenticAMD, ...; empty: unknown
  int family = 0;            ///< family number given by the manufacturer; 0: unknown
  int sockets = 1;
  int cores = 1;                              ///< physical
  int hardware_threads = 1;                   ///< online
  int usable_threads = 1;                     ///< hardware threads that this process may use
  std::vector<Cache> data_caches;             ///< data and unified caches, by level
  std::vector<std::string> instruction_sets;  ///< those that weft can use, simplest first
  std::size_t memory_bytes = 0;               ///< 0: unknown
  std::size_t swap_bytes = 0;
  std::size_t page_bytes = 4096;
  std::vector<std::size_t> huge_page_bytes;  ///< sizes that Linux offers
  std::string transparent_huge_pages;        ///< always, madvise, never; empty: unknown

  /// Share of one thread in the cache of this level, in bytes; 0 if there is no such level.
  std::size_t cache_bytes(int level) const;
};

/// Read on first use, then unchanged. Thread-safe.
const Machine& this_machine();

/// Lets the calling thread run on every CPU that this process may use: threads begin where the one
/// that starts them is bound.
void use_all_cpus();

/// Reads the files below `root` (empty: the real ones); for tests.
Machine probe_machine(const std::string& root);

}  // namespace weft
