// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/radices.hpp"

#include <algorithm>
#include <tuple>

namespace weft::gpu {
namespace {

/// Extends `chosen`, in descending order, to all factorisations of n; keeps the best in `best`:
/// fewest stages, then the smallest largest radix, then the smallest sum.
void search(Index n, int largest, std::vector<int>& chosen, std::vector<int>& best) {
  const auto sum = [](const std::vector<int>& v) {
    int total = 0;
    for (int r : v) total += r;
    return total;
  };
  if (n == 1) {
    const auto rank = [&](const std::vector<int>& v) {
      return std::tuple(v.size(), v.empty() ? 0 : v.front(), sum(v));
    };
    if (best.empty() || rank(chosen) < rank(best)) best = chosen;
    return;
  }
  if (!best.empty() && chosen.size() >= best.size()) return;
  for (std::size_t i = std::size(offered_radices); i-- > 0;) {
    const int r = offered_radices[i];
    if (r > largest || n % r != 0 || (!chosen.empty() && r > chosen.back())) continue;
    chosen.push_back(r);
    search(n / r, largest, chosen, best);
    chosen.pop_back();
  }
}

}  // namespace

std::vector<int> choose_radices(Index n, int largest) {
  if (n == 1) return {1};
  std::vector<int> chosen, best;
  search(n, largest, chosen, best);
  return best;
}

}  // namespace weft::gpu
