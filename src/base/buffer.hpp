// SPDX-License-Identifier: BSD-3-Clause
// Owned, uninitialised memory, aligned to 64 bytes; large blocks are aligned to huge pages and
// marked for them.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "weft/types.hpp"

namespace weft {

/// Throws weft::Error(out_of_memory). Zero bytes give a null pointer.
void* allocate_aligned(std::size_t bytes);
void free_aligned(void* data) noexcept;

template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(Index count)
      : data_(static_cast<T*>(allocate_aligned(static_cast<std::size_t>(count) * sizeof(T)))),
        count_(count) {}
  ~Buffer() { free_aligned(data_); }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  T* data() { return data_; }
  const T* data() const { return data_; }
  Index size() const { return count_; }
  T& operator[](Index i) { return data_[i]; }
  const T& operator[](Index i) const { return data_[i]; }
  std::span<T> span() { return {data_, static_cast<std::size_t>(count_)}; }

 private:
  T* data_ = nullptr;
  Index count_ = 0;
};

}  // namespace weft
