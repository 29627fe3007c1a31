// SPDX-License-Identifier: BSD-3-Clause
// Which recipe a GPU takes, with a device that is only numbers and a clock that is only a table.
#include "gpu/choose/choose.hpp"

#include <gtest/gtest.h>

#include <set>

#include "gpu/choose/candidates.hpp"
#include "gpu/choose/exchange.hpp"
#include "gpu/device/numbers.hpp"
#include "gpu/recipe/cost.hpp"
#include "gpu/recipe/fits.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "problems.hpp"
#include "weft/wisdom.hpp"

namespace weft::test {
namespace {

/// Small clusters, so that nothing has to be tried on the device.
gpu::GpuDevice stand_in() {
  gpu::GpuDevice device;
  device.name = "stand-in of choose_test";
  device.major = 8;
  device.multiprocessors = 100;
  device.shared_bytes = 160 * 1024;
  device.multiprocessor_shared_bytes = 164 * 1024;
  device.multiprocessor_registers = 65536;
  device.multiprocessor_threads = 2048;
  device.multiprocessor_blocks = 32;
  device.memory_bytes = std::size_t{8} << 30;
  return device;
}

class GpuChoice : public testing::Test {
 protected:
  void SetUp() override { wisdom::forget(); }
  void TearDown() override { wisdom::forget(); }

  std::string chosen(const problem::ArrayProblem& p, const cuda::PlanOptions& options) {
    return to_text(gpu::choose_recipe(p, device, options, time), p);
  }

  gpu::GpuDevice device = stand_in();
  problem::ArrayProblem cube = contiguous(Kind::c2c, Precision::f32, {64, 64, 64}, {0, 1, 2});
  std::vector<gpu::Recipe> ranked = gpu::candidates(cube, gpu::numbers_of(device));
  int timings = 0;
  double seconds = 0;
  bool had_room = true;
  /// The last candidate wins.
  gpu::TimeRecipes time = [this](const std::vector<gpu::Recipe>& recipes, const auto&, const auto&,
                                 const gpu::TuningLimits& limits) {
    ++timings;
    seconds += limits.seconds;
    return gpu::Tuning{{{recipes.back()}}, had_room};
  };
};

TEST_F(GpuChoice, IsTheModelsFirstUnlessSomethingIsTimed) {
  EXPECT_EQ(chosen(cube, {}), to_text(ranked.front()));
  EXPECT_EQ(timings, 0);
}

TEST_F(GpuChoice, IsTheFastestOfThoseTimedAndIsFoundAgain) {
  const std::string fastest = to_text(ranked.back());
  ASSERT_NE(fastest, to_text(ranked.front()));
  EXPECT_EQ(chosen(cube, {.effort = Effort::measure, .time_limit_s = 3}), fastest);
  EXPECT_EQ(seconds, 3);
  EXPECT_EQ(chosen(cube, {}), fastest);
  EXPECT_EQ(chosen(cube, {.effort = Effort::measure}), fastest);
  EXPECT_EQ(timings, 1);
  EXPECT_EQ(chosen(cube, {.use_wisdom = false}), to_text(ranked.front()));
  EXPECT_EQ(chosen(cube, {.effort = Effort::patient}), fastest);
  EXPECT_EQ(timings, 2);
  device.name = "another stand-in of choose_test";
  EXPECT_EQ(chosen(cube, {}), to_text(ranked.front()));
}

TEST_F(GpuChoice, IsNotKeptWhereMemoryWasShort) {
  had_room = false;
  EXPECT_EQ(chosen(cube, {.effort = Effort::measure}), to_text(ranked.back()));
  EXPECT_EQ(chosen(cube, {}), to_text(ranked.front()));
}

TEST_F(GpuChoice, IsTheCallersWhereItFits) {
  EXPECT_EQ(chosen(cube, {.recipe = to_text(ranked[1])}), to_text(ranked[1]));
  const auto other = contiguous(Kind::c2c, Precision::f32, {64, 64, 60}, {0, 1, 2});
  for (const std::string& text : {to_text(ranked[1]), std::string("fast")}) try {
      chosen(other, {.recipe = text});
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    }
}

TEST_F(GpuChoice, KeepsToTheWorkspace) {
  const auto recipe = gpu::choose_recipe(cube, device, {.workspace_limit = 0}, time);
  EXPECT_EQ(recipe.parts.front().workspace_elements, 0);
  const auto line = contiguous(Kind::c2c, Precision::f32, {1 << 20}, {0});
  try {
    chosen(line, {.workspace_limit = 0});
    ADD_FAILURE() << "a long line needs a workspace";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
  }
}

/// As exchanges between ranks leave them.
TEST_F(GpuChoice, TimesArraysInBlocksAsWell) {
  auto blocked = contiguous(Kind::c2c, Precision::f32, {12, 64, 24}, {1});
  blocked.dimensions[1].in_blocks = {.length = 16, .jump = 12 * 16 * 24 * 2};
  blocked.dimensions[0].in = 16 * 24 * 2;
  const std::string by_model = chosen(blocked, {});
  const std::string fastest = chosen(blocked, {.effort = Effort::measure});
  EXPECT_EQ(timings, 1);
  EXPECT_NE(fastest, by_model);
  EXPECT_EQ(chosen(blocked, {}), fastest);
}

TEST_F(GpuChoice, OfRealToRealTransformsIsOnePerAxis) {
  auto reals = contiguous(Kind::r2r, Precision::f64, {48, 40}, {0, 1});
  reals.r2r = {R2r::dct2, R2r::dst4};
  EXPECT_EQ(gpu::choose_recipe(reals, device, {}, time).parts.size(), 2u);
  const std::string timed = chosen(reals, {.effort = Effort::measure, .time_limit_s = 4});
  EXPECT_EQ(timings, 2);
  EXPECT_EQ(seconds, 4);
  EXPECT_EQ(chosen(reals, {}), timed);
  EXPECT_EQ(chosen(reals, {.use_wisdom = false, .recipe = timed}), timed);
  EXPECT_THROW(chosen(reals, {.workspace_limit = 0}), Error);
  EXPECT_THROW(chosen(reals, {.recipe = "r2r: fast || fast"}), Error);
}

/// The runs in memory of a real line are half as long as those of its spectrum.
TEST(GpuCandidates, HaveShortAndLongFirstPartsOfLongLines) {
  const auto problem = contiguous(Kind::r2c, Precision::f32, {Index{1} << 26}, {0});
  std::set<Index> first_parts;
  for (const gpu::Recipe& recipe : gpu::candidates(problem, {}))
    first_parts.insert(recipe.passes.front().pass.tile_axes[0].n());
  EXPECT_TRUE(first_parts.contains(4096));
  EXPECT_TRUE(first_parts.contains(8192));
  EXPECT_TRUE(first_parts.contains(16384));
}

TEST(GpuCandidates, HaveTheFastestPassOfAllForEachAxisAndPart) {
  for (const auto& problem : {contiguous(Kind::c2c, Precision::f32, {300, 420, 560}, {0, 1, 2}),
                              contiguous(Kind::c2c, Precision::f32, {4, 3000, 2500}, {1, 2}),
                              contiguous(Kind::r2c, Precision::f64, {Index{1} << 24}, {0}),
                              contiguous(Kind::c2c, Precision::f32, {Index{1} << 24}, {0})}) {
    const auto recipes = gpu::candidates(problem, {});
    int exchanged = 0;
    for (const gpu::Recipe& a : recipes)
      for (const gpu::Recipe& b : recipes) {
        const auto work = gpu::work_of_lines(a);
        if (work.empty() || work != gpu::work_of_lines(b)) continue;
        gpu::Recipe best = a;
        for (std::size_t s = 0; s < best.passes.size(); ++s)
          if (predicted_seconds(b.passes[s].pass, {}) < predicted_seconds(a.passes[s].pass, {}))
            best.passes[s] = b.passes[s];
        check_fit(best, problem, {});
        // No mixture is expected to be faster than the first of its kind.
        const auto first = std::ranges::find_if(
            recipes, [&](const gpu::Recipe& recipe) { return gpu::work_of_lines(recipe) == work; });
        EXPECT_LE(predicted_seconds(*first, {}), predicted_seconds(best, {}) * (1 + 1e-12))
            << to_text(best);
        exchanged += best != a && best != b;
      }
    EXPECT_GT(exchanged, 0) << to_text(problem);
  }
}

}  // namespace
}  // namespace weft::test
