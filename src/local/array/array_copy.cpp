// SPDX-License-Identifier: BSD-3-Clause
#include "local/array/array_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/index.hpp"

namespace weft::local {
namespace {

/// Takes the loop with the smallest distance out of the list.
Loop take_nearest(std::vector<Loop>& loops, Index Loop::* side) {
  if (loops.empty()) return {};
  const auto nearest =
      std::ranges::min_element(loops, {}, [&](const Loop& loop) { return std::abs(loop.*side); });
  const Loop taken = *nearest;
  loops.erase(nearest);
  return taken;
}

struct Pair {
  std::uint64_t first, second;
};

}  // namespace

ArrayCopy::ArrayCopy(std::vector<Loop> loops, Index element_bytes)
    : element_bytes_(element_bytes), outer_({}) {
  std::erase_if(loops, [](const Loop& loop) { return loop.count == 1; });
  columns_ = take_nearest(loops, &Loop::out);
  rows_ = take_nearest(loops, &Loop::in);
  outer_ = LoopIndex(std::move(loops));
}

/// Elements need not be aligned to their size: a complex number is two reals.
template <class Element>
void ArrayCopy::copy(Index begin, Index end, const char* in, char* out) const {
  const Index blocks = ceil_div(rows_.count, block);
  for (Index unit = begin; unit < end; ++unit) {
    const auto at = outer_(unit / blocks);
    const Index first = unit % blocks * block, last = std::min(rows_.count, first + block);
    for (Index j = 0; j < columns_.count; j += block) {
      const Index columns_end = std::min(columns_.count, j + block);
      for (Index row = first; row < last; ++row) {
        const char* from = in + at.in + row * rows_.in;
        char* to = out + at.out + row * rows_.out;
        for (Index column = j; column < columns_end; ++column)
          std::memcpy(to + column * columns_.out, from + column * columns_.in, sizeof(Element));
      }
    }
  }
}

void ArrayCopy::run(Index begin, Index end, const char* in, char* out) const {
  switch (element_bytes_) {
    case 2: return copy<std::uint16_t>(begin, end, in, out);
    case 4: return copy<std::uint32_t>(begin, end, in, out);
    case 8: return copy<std::uint64_t>(begin, end, in, out);
    default: return copy<Pair>(begin, end, in, out);
  }
}

}  // namespace weft::local
