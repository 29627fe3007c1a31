// SPDX-License-Identifier: BSD-3-Clause
// What the cost model knows of a pass, and what follows from it.
#include "gpu/recipe/cost.hpp"

#include <gtest/gtest.h>

#include "gpu/choose/candidates.hpp"
#include "gpu/recipe/pass_side.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "problems.hpp"

namespace weft::test {
namespace {

/// Lines of 500 points, 500 apart, so many adjacent ones in a tile.
gpu::TilePass columns(int tile) {
  return gpu::parse_recipe("input > output: f32 forward; piece 25.20[500>500]; loop 500/" +
                           std::to_string(tile) +
                           "[1>1]; loop 500/1[250000>250000]; stage 0.0; stage 0.1; threads 224 "
                           "cluster 1 blocks 1 unscaled")
      .passes.front()
      .pass;
}

TEST(GpuPassSide, BeginsWithinSectorsWhereRunsAreNoWholeOnes) {
  for (const bool is_output : {false, true}) {
    const gpu::SideOfPass ten = gpu::side_of(columns(10), is_output);
    EXPECT_EQ(ten.run_bytes(), 80);
    EXPECT_FALSE(ten.is_aligned);
    const gpu::SideOfPass eight = gpu::side_of(columns(8), is_output);
    EXPECT_EQ(eight.run_bytes(), 64);
    EXPECT_TRUE(eight.is_aligned);
    EXPECT_EQ(eight.bytes(), 8.0 * 500 * 500 * 500);
  }
}

/// Measured on an H200: 0.562 ms for tiles of 16 columns, 0.591 of 10, 0.571 of 25 by clusters.
TEST(GpuCost, IsLessForRunsOfWholeSectors) {
  EXPECT_LT(predicted_seconds(columns(16), {}), predicted_seconds(columns(10), {}));
}

/// A quarter of a multiprocessor has 16384 registers: seven warps of 136 registers fill more than
/// half of it, so that two such blocks do not fit, though they have less than 65536 registers.
/// Measured: 0.333 ms for two of them, 0.261 where the compiler must leave room for two.
TEST(GpuCost, CountsRegistersByQuartersOfAMultiprocessor) {
  const auto lines = [](int blocks) {
    return gpu::parse_recipe(
               "input > output: f64 forward; piece 20.20.10[1>1]; loop 8000/1[4000>4000]; stage "
               "0.0; stage 0.1; stage 0.2; threads 224 cluster 1 blocks " +
               std::to_string(blocks) + " unscaled")
        .passes.front()
        .pass;
  };
  EXPECT_GT(predicted_seconds(lines(1), {}), 1.05 * predicted_seconds(lines(2), {}));
}

/// Blocks of a pass are launched while the pass before still runs.
TEST(GpuCost, OfARecipeIsLessThanOfItsPassesAlone) {
  const auto problem = contiguous(Kind::c2c, Precision::f32, {100, 100, 100}, {0, 1, 2});
  for (const gpu::Recipe& recipe : gpu::candidates(problem, {})) {
    double alone = 0;
    for (const gpu::PlacedPass& placed : recipe.passes) alone += predicted_seconds(placed.pass, {});
    EXPECT_LT(predicted_seconds(recipe, {}), alone);
    EXPECT_GT(predicted_seconds(recipe, {}), alone / 3);
  }
}

/// A batch twice as large takes twice as long, but for the launch; a real line about half as long
/// as a complex one.
TEST(GpuCost, GrowsWithTheArray) {
  const auto seconds = [](Kind kind, Index batch) {
    const auto problem = contiguous(kind, Precision::f32, {batch, 4096}, {1});
    return predicted_seconds(gpu::candidates(problem, {}).front(), {});
  };
  EXPECT_NEAR(seconds(Kind::c2c, 32768) / seconds(Kind::c2c, 16384), 2, 0.1);
  EXPECT_NEAR(seconds(Kind::r2c, 32768) / seconds(Kind::c2c, 32768), 0.6, 0.15);
}

}  // namespace
}  // namespace weft::test
