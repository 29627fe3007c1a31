// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/choose/pass_search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/format.hpp"
#include "gpu/recipe/cost.hpp"
#include "gpu/recipe/recipe_text.hpp"

namespace weft::gpu {
namespace {

/// What a pass reads, transforms and writes, tile by tile.
std::string work_of(const PlacedPass& placed) {
  const TilePass& pass = placed.pass;
  std::string text =
      weft::format("{}>{}", static_cast<int>(placed.from), static_cast<int>(placed.to));
  for (const TileAxis& tile_axis : pass.tile_axes)
    text += weft::format("; {}{}[{}>{}] {} {} {}", tile_axis.is_halved ? "2 x " : "", tile_axis.n(),
                         tile_axis.in, tile_axis.out, tile_axis.in_blocks.length > 0,
                         tile_axis.out_blocks.length > 0, static_cast<int>(tile_axis.chirp.role));
  for (const Loop& loop : pass.loops)
    if (loop.tile > 1) text += weft::format("; {} of {}", loop.tile, loop.count);
  return text + (pass.half_shared ? " halves" : "") +
         (pass.pair > 0 || pass.out_pair > 0 ? " pair" : "") + (pass.tangles ? " tangles" : "");
}

std::string holding_of(const TilePass& pass) {
  return weft::format("{} threads, {} blocks, {} points, {} stages", pass.threads,
                      pass.blocks_per_sm, widest_stage(pass), pass.stages.size());
}

/// Numbers texts in the order in which they come.
class Numbers {
 public:
  std::size_t of(const std::string& text) { return numbers_.emplace(text, size()).first->second; }
  std::size_t size() const { return numbers_.size(); }

 private:
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace

PassSearch::PassSearch(const std::vector<Recipe>& recipes, const DeviceNumbers& numbers) {
  Numbers texts, works, holdings;
  for (const Recipe& recipe : recipes) {
    recipes_.emplace_back();
    for (const PlacedPass& placed : recipe.passes) {
      const std::size_t number = texts.of(to_text(placed));
      recipes_.back().push_back(number);
      if (number == passes_.size())
        passes_.push_back({&placed, predicted_seconds(placed.pass, numbers) * 1e3,
                           works.of(work_of(placed)), holdings.of(holding_of(placed.pass))});
    }
  }
  works_ = works.size();
  holdings_ = holdings.size();
}

bool PassSearch::is_timed(std::size_t recipe) const {
  return std::ranges::all_of(recipes_[recipe], [&](std::size_t p) { return passes_[p].ms > 0; });
}

void PassSearch::record(std::size_t pass, double ms) { passes_[pass].ms = ms; }

/// log ms = log predicted + a of the work + b of the holding, by least squares that draw a and b to
/// zero: b, which is known from more passes of other works, more than a.
std::vector<double> PassSearch::expected_ms() const {
  constexpr double draw_work = 0.2, draw_holding = 1;
  constexpr int rounds = 20;
  std::vector<double> a(works_, 0), b(holdings_, 0);
  const auto fit = [&](std::vector<double>& values, std::size_t Pass::* key, double draw,
                       const std::vector<double>& others, std::size_t Pass::* other_key) {
    std::vector<double> sum(values.size(), 0), count(values.size(), draw);
    for (const Pass& pass : passes_) {
      if (pass.ms <= 0 || std::isinf(pass.ms)) continue;
      sum[pass.*key] += std::log(pass.ms / pass.predicted_ms) - others[pass.*other_key];
      count[pass.*key] += 1;
    }
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = sum[i] / count[i];
  };
  for (int round = 0; round < rounds; ++round) {
    fit(a, &Pass::work, draw_work, b, &Pass::holding);
    fit(b, &Pass::holding, draw_holding, a, &Pass::work);
  }
  std::vector<double> expected;
  for (const Pass& pass : passes_)
    expected.push_back(pass.ms > 0 ? pass.ms
                                   : pass.predicted_ms * std::exp(a[pass.work] + b[pass.holding]));
  return expected;
}

std::vector<std::size_t> PassSearch::next(std::size_t count) const {
  const std::vector<double> expected = expected_ms();
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t r = 0; r < recipes_.size(); ++r) {
    double ms = 0;
    for (const std::size_t p : recipes_[r]) ms += expected[p];
    if (!is_timed(r) && !std::isinf(ms)) order.emplace_back(ms, r);
  }
  std::ranges::sort(order);
  std::vector<std::size_t> chosen;
  std::set<std::size_t> known;
  const auto take = [&](std::size_t recipe) {
    for (const std::size_t p : recipes_[recipe])
      if (passes_[p].ms <= 0 && known.insert(p).second) chosen.push_back(p);
  };
  const bool is_first = std::ranges::none_of(passes_, [](const Pass& pass) { return pass.ms > 0; });
  std::map<std::size_t, int> taken;
  if (is_first)
    for (const auto& [ms, r] : order)
      if (taken[recipes_[r].size()]++ < 2) take(r);
  for (const auto& [ms, r] : order) {
    if (chosen.size() >= count) break;
    take(r);
  }
  return chosen;
}

}  // namespace weft::gpu
