// SPDX-License-Identifier: BSD-3-Clause
#include "support/failing_new.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local bool counts = false;
thread_local long seen = 0, failing_one = -1;

bool fails_now() { return counts && seen++ == failing_one; }

}  // namespace

namespace weft::test {

Allocations::Allocations(long failing) {
  seen = 0;
  failing_one = failing;
  counts = true;
}
Allocations::~Allocations() { counts = false; }
long Allocations::count() { return seen; }
bool Allocations::has_failed() { return failing_one >= 0 && seen > failing_one; }

}  // namespace weft::test

void* operator new(std::size_t bytes) {
  void* data = fails_now() ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
  if (data == nullptr) throw std::bad_alloc();
  return data;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return fails_now() ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
}
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, const std::nothrow_t&) noexcept { std::free(data); }
void operator delete(void* data, std::size_t) noexcept { std::free(data); }

/// Replaces the function of the C library.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  void* data = nullptr;
  return fails_now() || posix_memalign(&data, alignment, bytes) != 0 ? nullptr : data;
}
