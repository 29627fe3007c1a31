// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/packing.hpp"

#include <algorithm>
#include <tuple>

#include "gpu/recipe/radices.hpp"

namespace weft::gpu {
namespace {

void factorisations(Index n, int most, std::vector<int>& chosen,
                    std::vector<std::vector<int>>& found) {
  if (n == 1) {
    found.push_back(chosen);
    return;
  }
  if (chosen.size() == 4) return;
  for (int r : offered_radices) {
    if (r > most || n % r != 0) continue;
    chosen.push_back(r);
    factorisations(n / r, most, chosen, found);
    chosen.pop_back();
  }
}

/// Stages of digits in order; a digit joins the stage before it when that is of other tile axes and
/// has room.
struct StageList {
  const std::vector<std::vector<int>>& radices;
  int most;
  std::vector<ButterflyStage> stages = {};
  int points = 0, widest = 0, sum = 0;

  void add(int tile_axis, int position) {
    const int r = radices[static_cast<std::size_t>(tile_axis)][static_cast<std::size_t>(position)];
    const bool joins = !stages.empty() && points * r <= most &&
                       std::ranges::none_of(stages.back(), [&](const DigitName& d) {
                         return d.tile_axis == tile_axis;
                       });
    if (joins) {
      sum -= points;
      stages.back().push_back({tile_axis, position});
      points *= r;
    } else {
      stages.push_back({{tile_axis, position}});
      points = r;
    }
    sum += points;
    widest = std::max(widest, points);
  }
  int first_points() const {
    int product = 1;
    for (const DigitName& d : stages.front())
      product *=
          radices[static_cast<std::size_t>(d.tile_axis)][static_cast<std::size_t>(d.position)];
    return product;
  }
  void add_rest(int tile_axis, int first) {
    const auto count = static_cast<int>(radices[static_cast<std::size_t>(tile_axis)].size());
    for (int i = first; i < count; ++i) add(tile_axis, i);
  }
};

}  // namespace

std::optional<Packing> pack(const std::vector<Index>& lengths, int most, int cluster) {
  std::vector<std::vector<std::vector<int>>> choices;
  for (Index n : lengths) {
    choices.emplace_back();
    std::vector<int> chosen;
    factorisations(n, most, chosen, choices.back());
  }
  std::erase_if(choices.back(), [&](const std::vector<int>& radices) {
    return (radices.empty() ? 1 : radices.back()) % cluster != 0;
  });
  for (const auto& of_tile_axis : choices)
    if (of_tile_axis.empty()) return std::nullopt;
  std::optional<Packing> best;
  std::tuple<std::size_t, int, std::size_t, int> least;
  std::vector<std::size_t> position(lengths.size(), 0);
  Packing packing;
  packing.radices.resize(lengths.size());
  while (true) {
    std::size_t count = 0;
    int sum = 0;
    for (std::size_t p = 0; p < lengths.size(); ++p) {
      packing.radices[p] = choices[p][position[p]];
      count += packing.radices[p].size();
      for (int r : packing.radices[p]) sum += r;
    }
    StageList list{packing.radices, most};
    for (int p = 0; p < static_cast<int>(lengths.size()); ++p) list.add_rest(p, 0);
    const std::tuple cost{list.stages.size(), list.widest, count, sum};
    if (!best || cost < least) {
      best = {packing.radices, list.stages};
      least = cost;
    }
    std::size_t p = 0;
    while (p < lengths.size() && ++position[p] == choices[p].size()) position[p++] = 0;
    if (p == lengths.size()) return best;
  }
}

std::optional<Packing> pack_led(const std::vector<Index>& lengths, int most, int cluster) {
  std::vector<std::vector<std::vector<int>>> choices(2);
  for (std::size_t p = 0; p < 2; ++p) {
    std::vector<int> chosen;
    factorisations(lengths[p], most, chosen, choices[p]);
  }
  std::optional<Packing> best;
  std::tuple<std::size_t, int, int> least;
  for (const auto& first : choices[0])
    for (const auto& second : choices[1]) {
      const Packing packing{{first, second}, {}};
      if (first.empty() || second.empty() || second.back() % cluster != 0) continue;
      StageList list{packing.radices, most};
      list.add(1, 0);
      list.add_rest(0, 0);
      list.add_rest(1, 1);
      const std::tuple cost{list.stages.size(), -list.first_points(), list.sum};
      if (best && cost >= least) continue;
      best = packing;
      best->stages = list.stages;
      least = cost;
    }
  return best;
}

}  // namespace weft::gpu
