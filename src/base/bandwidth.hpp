// SPDX-License-Identifier: BSD-3-Clause
// The copy bandwidth of this machine, with which passes over memory are compared. It is measured,
// because neither the operating system nor the CPU reports it.
#pragma once

#include <cstddef>
#include <memory>
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

/// Columns of matrices, copied as transforms along them move their data: all rows of a few columns
/// into a buffer, and from there to the other array, or back where they were.
struct ColumnCopy {
  std::size_t stride = 0;  ///< bytes from row to row
  std::size_t piece = 0;   ///< adjacent bytes of a row copied at a time; 128 or a multiple of it
  Store store = Store::ordinary;
  bool in_place = false;
};

/// Two arrays of matrices of `rows` rows, touched by the threads that copy them.
class ColumnBench {
 public:
  /// Throws weft::Error if the memory cannot be allocated.
  ColumnBench(std::size_t bytes, std::size_t rows, int threads);
  ~ColumnBench();
  /// Bytes read plus bytes written per second, over all threads; the best of three. An array is at
  /// least `rows` times the stride, which is a multiple of the piece.
  double bandwidth(const ColumnCopy& what) const;
  std::size_t bytes() const;
  std::size_t rows() const;

 private:
  struct Arrays;
  std::unique_ptr<Arrays> arrays_;
};

}  // namespace weft
