// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "base/buffer.hpp"
#include "weft/plan.hpp"

namespace weft {

Workspace::Workspace(std::size_t bytes) : data_(allocate_aligned(bytes)), bytes_(bytes) {}
Workspace::Workspace(void* memory, std::size_t bytes)
    : data_(memory), bytes_(bytes), is_owned_(false) {
  if (memory == nullptr && bytes > 0)
    throw Error(ErrorCode::invalid_argument,
                "a workspace of " + std::to_string(bytes) +
                    " bytes was made of a null pointer; pass allocated memory");
  if (!is_aligned(memory))
    throw Error(ErrorCode::invalid_argument,
                "the memory of a workspace does not start at a multiple of " +
                    std::to_string(alignment) + " bytes; use weft::aligned_vector<std::byte>");
}
Workspace::~Workspace() {
  if (is_owned_) free_aligned(data_);
}
Workspace::Workspace(Workspace&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      is_owned_(std::exchange(other.is_owned_, true)) {}
Workspace& Workspace::operator=(Workspace&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(is_owned_, other.is_owned_);
  return *this;
}

}  // namespace weft
