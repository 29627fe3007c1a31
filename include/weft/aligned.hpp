// SPDX-License-Identifier: BSD-3-Clause
// Memory with the alignment that makes transforms fastest. Plans take arrays of any alignment;
// workspaces must have this one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace weft {

/// Bytes: a cache line and the widest register.
inline constexpr std::size_t alignment = 64;

inline bool is_aligned(const void* memory) noexcept {
  return reinterpret_cast<std::uintptr_t>(memory) % alignment == 0;
}

/// For containers of the standard library.
template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(alignment)));
  }
  void deallocate(T* memory, std::size_t) noexcept {
    ::operator delete(memory, std::align_val_t(alignment));
  }
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

template <class T>
using aligned_vector = std::vector<T, AlignedAllocator<T>>;

}  // namespace weft
