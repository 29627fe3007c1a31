// SPDX-License-Identifier: BSD-3-Clause
// A program that links failing_new.cpp can count the allocations of a thread and make one of them
// fail: operator new, and the aligned memory of Buffer.
#pragma once

namespace weft::test {

/// As long as this object exists, allocation number `failing` of this thread (counted from 0)
/// throws, once; -1: none.
class Allocations {
 public:
  explicit Allocations(long failing = -1);
  ~Allocations();
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;

  static long count();       ///< of this thread, since the object was made
  static bool has_failed();  ///< whether that allocation has failed
};

}  // namespace weft::test
