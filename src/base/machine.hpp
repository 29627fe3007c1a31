// SPDX-License-Identifier: BSD-3-Clause
// What weft knows of the machine it runs on: CPU, cores, caches, instruction sets, pages. Read from
// the kernel's files under /sys and /proc, which need no library and less than a millisecond.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft {

/// One level of data cache as a core sees it.
struct Cache {
  int level = 0;
  std::size_t bytes = 0;
  std::size_t line_bytes = 64;
  int ways = 0;     ///< 0: unknown
  int sharers = 1;  ///< hardware threads that share it
};

struct Machine {
  std::string cpu;           ///< the maker's name of the model
  std::string architecture;  ///< x86_64, aarch64, ...
  int sockets = 1;
  int cores = 1;                              ///< physical
  int hardware_threads = 1;                   ///< online
  int usable_threads = 1;                     ///< those this process may run on
  std::vector<Cache> data_caches;             ///< by level, data and unified ones
  std::vector<std::string> instruction_sets;  ///< the ones that matter to weft, weakest first
  std::size_t memory_bytes = 0;
  std::size_t page_bytes = 4096;
  std::vector<std::size_t> huge_page_bytes;  ///< sizes the kernel offers
  std::string transparent_huge_pages;        ///< always, madvise, never; empty: unknown

  /// Bytes of the given level that one thread may count on; 0 when there is no such level.
  std::size_t cache_bytes(int level) const;
};

/// Probed on first use, then the same for the life of the process. Safe from any thread.
const Machine& this_machine();

/// Probes the files below `root` (the empty string for the real ones): for tests.
Machine probe_machine(const std::string& root);

}  // namespace weft
