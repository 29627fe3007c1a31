// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <numeric>
#include <vector>

#include "weft/index.hpp"

namespace weft {

inline Index count_of(const std::vector<Index>& extents) {
  return std::accumulate(extents.begin(), extents.end(), Index{1}, std::multiplies<>());
}

}  // namespace weft
