// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/packing.hpp"

#include <algorithm>
#include <tuple>

namespace weft::gpu {
namespace {

constexpr int offered[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 24, 25, 32};

void factorisations(Index n, int most, std::vector<int>& chosen,
                    std::vector<std::vector<int>>& found) {
  if (n == 1) {
    found.push_back(chosen);
    return;
  }
  if (chosen.size() == 4) return;
  for (int r : offered) {
    if (r > most || n % r != 0) continue;
    chosen.push_back(r);
    factorisations(n / r, most, chosen, found);
    chosen.pop_back();
  }
}

/// In order; a digit joins the stage before it when that is of other pieces and has room.
std::vector<Stage> stages_of(const std::vector<std::vector<int>>& radices, int most, int& widest) {
  std::vector<Stage> stages;
  int points = 0;
  widest = 0;
  for (int p = 0; p < static_cast<int>(radices.size()); ++p)
    for (int i = 0; i < static_cast<int>(radices[static_cast<std::size_t>(p)].size()); ++i) {
      const int r = radices[static_cast<std::size_t>(p)][static_cast<std::size_t>(i)];
      const bool joins = !stages.empty() && stages.back().back().piece != p && points * r <= most;
      if (joins) {
        stages.back().push_back({p, i});
        points *= r;
      } else {
        stages.push_back({{p, i}});
        points = r;
      }
      widest = std::max(widest, points);
    }
  return stages;
}

}  // namespace

std::optional<Packing> pack(const std::vector<Index>& lengths, int most, int cluster) {
  std::vector<std::vector<std::vector<int>>> choices;
  for (Index n : lengths) {
    choices.emplace_back();
    std::vector<int> chosen;
    factorisations(n, most, chosen, choices.back());
    if (choices.back().empty()) return std::nullopt;
  }
  std::optional<Packing> best;
  std::tuple<std::size_t, int, std::size_t, int> least;
  std::vector<std::size_t> position(lengths.size(), 0);
  while (true) {
    Packing packing;
    std::size_t count = 0;
    int sum = 0, widest = 0;
    for (std::size_t p = 0; p < lengths.size(); ++p) {
      packing.radices.push_back(choices[p][position[p]]);
      count += packing.radices.back().size();
      for (int r : packing.radices.back()) sum += r;
    }
    packing.stages = stages_of(packing.radices, most, widest);
    const bool fits_cluster = packing.radices.back().empty()
                                  ? cluster == 1
                                  : packing.radices.back().back() % cluster == 0;
    const std::tuple cost{packing.stages.size(), widest, count, sum};
    if (fits_cluster && (!best || cost < least)) {
      best = packing;
      least = cost;
    }
    std::size_t p = 0;
    while (p < lengths.size() && ++position[p] == choices[p].size()) position[p++] = 0;
    if (p == lengths.size()) return best;
  }
}

}  // namespace weft::gpu
