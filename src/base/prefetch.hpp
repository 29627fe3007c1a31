// SPDX-License-Identifier: BSD-3-Clause
// Asking memory for a cache line before it is needed. gcc drops calls of a function that does
// nothing but __builtin_prefetch, as if it had no effect; an empty volatile statement keeps them.
// tests/unit/local/fetches_ahead.sh looks for the instructions.
#pragma once

namespace weft {

enum class Fetch {
  read,   ///< into the second cache: the first has no room for what is not needed at once
  write,  ///< into the first cache
};

template <Fetch fetch = Fetch::read>
inline void prefetch(const void* line) {
  if constexpr (fetch == Fetch::read)
    __builtin_prefetch(line, 0, 2);
  else
    __builtin_prefetch(line, 1, 3);
  asm volatile("" : : "r"(line));
}

}  // namespace weft
