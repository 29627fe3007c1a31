// SPDX-License-Identifier: BSD-3-Clause
// Recipes as text: what is printed is read back, and what fits computes the transform.
#include "gpu/recipe/recipe_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "gpu/choose/candidates.hpp"
#include "gpu/recipe/axis_by_axis.hpp"
#include "gpu/recipe/fits.hpp"
#include "gpu/recipe/radices.hpp"
#include "problems.hpp"

namespace weft::test {
namespace {

using problem::ArrayProblem;

bool fits(const gpu::Recipe& recipe, const ArrayProblem& problem,
          const gpu::DeviceNumbers& numbers = {}) {
  try {
    check_fit(recipe, problem, numbers);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << error.what();
    return false;
  }
}

std::vector<ArrayProblem> problems() {
  std::vector<ArrayProblem> found;
  for (const Precision p : {Precision::f16, Precision::f32, Precision::f64}) {
    for (const auto& [shape, axes] :
         std::vector<std::pair<std::vector<Index>, std::vector<int>>>{{{16}, {0}},
                                                                      {{1, 1}, {0, 1}},
                                                                      {{3, 4096}, {1}},
                                                                      {{2048, 19}, {0}},
                                                                      {{5, 97, 3}, {1}},
                                                                      {{1 << 20}, {0}},
                                                                      {{1 << 25}, {0}},
                                                                      {{2, 177147}, {1}},
                                                                      {{100003}, {0}},
                                                                      {{31, 6, 37}, {0, 1, 2}},
                                                                      {{64, 64, 64}, {0, 1, 2}},
                                                                      {{2, 16, 64, 48}, {1, 2, 3}},
                                                                      {{500, 100, 60}, {0, 1, 2}}})
      for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
        found.push_back(contiguous(kind, p, shape, axes,
                                   kind == Kind::c2r ? Direction::backward : Direction::forward));
    found.push_back(contiguous(Kind::c2c, p, {256, 256, 256}, {0, 1, 2}, Direction::backward));
  }
  auto strided = contiguous(Kind::c2c, Precision::f32, {6, 20, 10}, {2, 1});
  strided.dimensions = {{6, 2, -1400}, {20, 132, 20}, {10, 12, 2}};
  found.push_back(strided);
  auto blocks = contiguous(Kind::c2c, Precision::f64, {6, 12, 20}, {2, 1});
  blocks.dimensions = {{6, 120, 160}, {12, 10, 40, {}, {4, 960}}, {20, 2, 2, {5, 720}, {}}};
  found.push_back(blocks);
  auto plain = contiguous(Kind::c2r, Precision::f32, {8, 8, 8}, {0, 1, 2}, Direction::backward);
  plain.scale = 1;
  found.push_back(plain);
  return found;
}

TEST(GpuRecipeText, IsReadAsItWasPrinted) {
  std::size_t count = 0;
  for (const ArrayProblem& problem : problems())
    for (const int cluster : {16, 1})
      for (const gpu::Recipe& recipe : gpu::candidates(problem, {.largest_cluster = cluster})) {
        ASSERT_EQ(gpu::parse_recipe(to_text(recipe)), recipe) << to_text(recipe);
        ++count;
      }
  EXPECT_GT(count, 10000u);
}

TEST(GpuRecipeText, FitsTheProblemItWasPrintedFor) {
  for (const ArrayProblem& problem : problems())
    for (const int cluster : {16, 1}) {
      const auto recipes = gpu::candidates(problem, {.largest_cluster = cluster});
      for (std::size_t i = 0; i < recipes.size(); i += 1 + recipes.size() / 8)
        EXPECT_NO_THROW(check_fit(recipes[i], problem, {.largest_cluster = cluster}))
            << to_text(recipes[i]);
    }
}

/// Passes of several recipes, as the tuner mixes them.
TEST(GpuRecipeText, FitsWhenPassesAreMixed) {
  const auto problem = contiguous(Kind::c2c, Precision::f32, {96, 96, 96}, {0, 1, 2});
  const auto recipes = gpu::candidates(problem, {.largest_cluster = 1});
  ASSERT_GE(recipes.size(), 2u);
  gpu::Recipe mixed = recipes.front();
  ASSERT_EQ(mixed.passes.size(), 3u);
  for (const gpu::Recipe& other : recipes)
    if (!(other.passes[1] == mixed.passes[1])) mixed.passes[1] = other.passes[1];
  EXPECT_FALSE(mixed == recipes.front());
  EXPECT_TRUE(fits(gpu::parse_recipe(to_text(mixed)), problem));
  mixed.passes.pop_back();
  EXPECT_FALSE(fits(mixed, problem));
}

TEST(GpuRecipeText, OfAnotherProblemOrDeviceIsRefused) {
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) {
    const auto problem = contiguous(kind, Precision::f32, {64, 64, 64}, {0, 1, 2});
    const auto recipes = gpu::candidates(problem, {});
    const gpu::Recipe &first = recipes.front(), &last = recipes.back();
    auto strided = problem;
    strided.dimensions[0].out *= 2;
    auto unscaled = problem;
    unscaled.scale = 1;
    auto planes = problem;
    planes.axes = {1, 2};
    for (const ArrayProblem& other :
         {strided, planes, contiguous(kind, Precision::f64, {64, 64, 64}, {0, 1, 2}),
          contiguous(kind, Precision::f32, {64, 64, 32}, {0, 1, 2}),
          contiguous(kind, Precision::f32, {2, 64, 64, 64}, {1, 2, 3}),
          contiguous(kind, Precision::f32, {64, 64, 64}, {0, 1, 2}, Direction::backward)})
      for (const gpu::Recipe& recipe : {first, last})
        EXPECT_FALSE(fits(recipe, other)) << to_text(other) << ": " << to_text(recipe);
    EXPECT_FALSE(fits(last, unscaled));
    gpu::Recipe wrong = first;
    wrong.workspace_elements -= 1;
    EXPECT_FALSE(fits(wrong, problem));
    for (const gpu::Recipe& recipe : recipes)
      if (recipe.passes.front().pass.cluster > 1) {
        EXPECT_FALSE(fits(recipe, problem, {.largest_cluster = 1}));
      }
    EXPECT_FALSE(fits(first, problem, {.shared_bytes = 1024}));
  }
}

TEST(GpuRecipeText, ThatIsMisspeltIsRefused) {
  const auto problem = contiguous(Kind::c2c, Precision::f32, {64}, {0});
  const std::string text = to_text(gpu::candidates(problem, {}).front());
  EXPECT_NO_THROW(gpu::parse_recipe(text));
  std::string padded = text;
  padded.insert(text.find("threads ") + 8, "0");
  for (const std::string& wrong :
       {std::string(), padded, text + " ", text + " | ", text + " | with", " " + text, "02" + text,
        text.substr(1), text.substr(0, text.size() - 2), text + " | with workspace 0",
        std::string("input > output: f32 forward"), std::string(70000, '9')})
    EXPECT_THROW(gpu::parse_recipe(wrong), Error) << wrong;
}

/// What may be chosen freely, at random: radices, tiles, stages, threads and clusters.
class Variation {
 public:
  explicit Variation(unsigned seed) : random_(seed) {}

  gpu::Recipe of(gpu::Recipe recipe) {
    for (gpu::PlacedPass& placed : recipe.passes) {
      gpu::TilePass& pass = placed.pass;
      for (gpu::TileAxis& tile_axis : pass.tile_axes) tile_axis.radices = radices(tile_axis.n());
      pass.stages = stages(pass.tile_axes);
      if (pass.tile_axes.size() == 1 && below(2) == 0)
        for (gpu::Loop& loop : pass.loops) loop.tile = 1 + below(9);
      pass.threads = 32 * (1 + below(8));
      pass.cluster = 1 << below(3);
      pass.blocks_per_sm = 1 + below(3);
      if (pass.precision == Precision::f16) pass.half_shared = below(2) == 0;
    }
    return recipe;
  }
  /// One character changed, dropped or doubled.
  std::string of(std::string text) {
    const auto place = static_cast<std::size_t>(below(static_cast<int>(text.size())));
    switch (below(3)) {
      case 0: text[place] = "0123456789 .;>|[]/-"[below(19)]; break;
      case 1: text.erase(place, 1); break;
      default: text.insert(place, 1, text[place]);
    }
    return text;
  }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

 private:
  std::vector<int> radices(Index n) {
    std::vector<int> result;
    while (n > 1) {
      std::vector<int> possible;
      for (const int r : gpu::offered_radices)
        if (n % r == 0 && r <= 16) possible.push_back(r);
      if (possible.empty()) return gpu::choose_radices(n, 64);
      result.push_back(
          possible[static_cast<std::size_t>(below(static_cast<int>(possible.size())))]);
      n /= result.back();
    }
    return result.empty() ? std::vector<int>{1} : result;
  }
  /// The digits of each tile axis in order, those of several tile axes in any; some share a stage.
  std::vector<gpu::ButterflyStage> stages(const std::vector<gpu::TileAxis>& tile_axes) {
    std::vector<gpu::ButterflyStage> result;
    std::vector<int> next(tile_axes.size(), 0);
    while (true) {
      std::vector<int> open;
      for (std::size_t p = 0; p < tile_axes.size(); ++p)
        if (next[p] < static_cast<int>(tile_axes[p].radices.size()))
          open.push_back(static_cast<int>(p));
      if (open.empty()) return result;
      const int p = open[static_cast<std::size_t>(below(static_cast<int>(open.size())))];
      const bool joins = !result.empty() && result.back().back().tile_axis != p &&
                         result.back().size() == 1 && below(2) == 0;
      if (!joins) result.emplace_back();
      result.back().push_back({p, next[static_cast<std::size_t>(p)]++});
    }
  }

  std::minstd_rand random_;
};

/// Short axes in one pass, in two and three parts, as convolutions of one and of two parts; three
/// axes in two passes.
std::vector<std::pair<ArrayProblem, std::vector<gpu::Recipe>>> small_recipes() {
  std::vector<std::pair<ArrayProblem, std::vector<gpu::Recipe>>> found;
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const auto& [shape, axes] : std::vector<std::pair<std::vector<Index>, std::vector<int>>>{
             {{3, 60}, {1}}, {{17, 5}, {0}}, {{2, 64}, {1}}, {{512}, {0}}, {{16, 16, 12}, {}}}) {
      const std::vector<int> all{0, 1, 2};
      const auto problem = contiguous(kind, Precision::f64, shape, axes.empty() ? all : axes,
                                      kind == Kind::c2r ? Direction::backward : Direction::forward);
      auto recipes = gpu::candidates(problem, {});
      if (shape.size() < 3)
        for (const gpu::LineOptions& options : {gpu::LineOptions{.longest_line = 12},
                                                {.longest_line = 12, .by_columns = true},
                                                {.longest_line = 12, .halved = true}})
          if (const auto parts = gpu::axis_by_axis(problem, {}, options))
            recipes.insert(recipes.end(), 4, *parts);
      found.emplace_back(problem, std::move(recipes));
    }
  return found;
}

TEST(GpuRecipeText, ThatFitsComputesTheTransform) {
  Variation variation(1);
  for (const auto& [problem, recipes] : small_recipes()) {
    int left = 3;
    for (int attempt = 0; attempt < 3000 && left > 0; ++attempt) {
      const auto base = static_cast<std::size_t>(variation.below(static_cast<int>(recipes.size())));
      const gpu::Recipe varied = variation.of(recipes[base]);
      if (!fits(gpu::parse_recipe(to_text(varied)), problem)) continue;
      --left;
      expect_right(problem, varied);
    }
    EXPECT_EQ(left, 0) << to_text(problem);
  }
}

TEST(GpuRecipeText, ThatIsDamagedIsRefusedOrComputesTheTransform) {
  Variation variation(2);
  int refused = 0, accepted = 0;
  for (const auto& [problem, recipes] : small_recipes()) {
    for (int attempt = 0; attempt < 400; ++attempt) {
      const auto base = static_cast<std::size_t>(variation.below(static_cast<int>(recipes.size())));
      std::string text = to_text(recipes[base]);
      for (int damage = variation.below(3); damage >= 0; --damage) text = variation.of(text);
      if (text == to_text(recipes[base])) continue;
      try {
        const gpu::Recipe recipe = gpu::parse_recipe(text);
        EXPECT_EQ(to_text(recipe), text);
        check_fit(recipe, problem, {});
        if (++accepted <= 16) expect_right(problem, recipe);
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 4000);
  EXPECT_GT(accepted, 2);
}

}  // namespace
}  // namespace weft::test
