// SPDX-License-Identifier: BSD-3-Clause
#include "base/strides.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/index.hpp"
#include "weft/error.hpp"

namespace weft {

Reach check_strides(std::span<const Index> extents, std::span<const Index> strides,
                    const std::string& what, Sharing sharing) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::invalid_argument, what + ": " + why);
  };
  std::vector<std::pair<Index, Index>> order;
  Reach reach;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const Index stride = strides[d], steps = extents[d] - 1;
    if (stride == INT64_MIN || std::abs(stride) > farthest_element / std::max<Index>(steps, 1))
      refuse("stride " + std::to_string(stride) + " times " + std::to_string(steps) +
             " does not fit 64 bits in bytes; use smaller strides");
    (stride < 0 ? reach.low : reach.high) += steps * stride;
    if (steps > 0) order.emplace_back(std::abs(stride), steps);
    if (reach.high - reach.low > farthest_element)
      refuse("it does not fit 64 bits in bytes; use smaller strides");
  }
  if (sharing == Sharing::allowed) return reach;
  std::ranges::sort(order);
  Index reached = 0;
  for (const auto& [stride, steps] : order) {
    if (stride <= reached)
      refuse("the strides make elements overlap; stride " + std::to_string(stride) +
             " must be larger than " + std::to_string(reached));
    reached += steps * stride;
  }
  return reach;
}

}  // namespace weft
