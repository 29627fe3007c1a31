// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/systolic/array.hpp"

namespace weft::fabric {

SystolicCount row_shift_count(const AbelianGroup& torus) {
  SystolicCount count;
  const int p = torus.order();
  for (int g = 0; g < p; ++g) count.row_hops += torus.distance(g);
  for (const int side : torus.moduli) count.shift_instructions += side / 2 + (side - 1) / 2;
  return count;
}

std::int64_t ring_cost(const AbelianGroup& torus) {
  std::int64_t cost = 0;
  for (int l = 0; l < torus.order(); ++l)
    for (std::size_t axis = 0; axis < torus.moduli.size(); ++axis) cost += torus.digit(l, axis) + 1;
  return cost;
}

}  // namespace weft::fabric
