// SPDX-License-Identifier: BSD-3-Clause
#include "base/buffer.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <string>

#include "weft/error.hpp"

namespace weft {

void* allocate_aligned(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  constexpr std::size_t huge_page = std::size_t{1} << 21;
  const std::size_t alignment = bytes >= huge_page ? huge_page : 64;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* data = rounded < bytes ? nullptr : std::aligned_alloc(alignment, rounded);
  if (data == nullptr)
    throw Error(ErrorCode::out_of_memory, "cannot allocate " + std::to_string(bytes) +
                                              " bytes; use a smaller transform or fewer threads");
  if (alignment == huge_page)
    madvise(data, rounded, MADV_HUGEPAGE);  // only a hint: errors are ignored
  return data;
}

void free_aligned(void* data) noexcept { std::free(data); }

}  // namespace weft
