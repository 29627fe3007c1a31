// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "base/buffer.hpp"
#include "weft/plan.hpp"

namespace weft {

Workspace::Workspace(std::size_t bytes) : data_(allocate_aligned(bytes)), bytes_(bytes) {}
Workspace::~Workspace() { free_aligned(data_); }
Workspace::Workspace(Workspace&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
Workspace& Workspace::operator=(Workspace&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace weft
