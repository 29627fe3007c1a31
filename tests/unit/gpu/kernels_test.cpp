// SPDX-License-Identifier: BSD-3-Clause
// Whole recipes are emitted, compiled for the CPU and compared with the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "gpu/choose/candidates.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "gpu/recipe/two_pass.hpp"
#include "host_kernel.hpp"
#include "problems.hpp"
#include "support/oracle.hpp"

namespace weft::test {
namespace {

TEST(GpuKernels, TransformLinesOfEverySort) {
  const gpu::DeviceNumbers limits;
  for (const auto& [shape, axes] : std::vector<std::pair<std::vector<Index>, std::vector<int>>>{
           {{16}, {0}}, {{3, 60}, {1}}, {{5, 77, 6}, {1}}, {{2048, 2}, {0}}, {{1, 1}, {0, 1}}}) {
    const auto problem = contiguous(Kind::c2c, Precision::f64, shape, axes);
    const auto recipes = gpu::candidates(problem, limits);
    ASSERT_FALSE(recipes.empty());
    expect_right(problem, recipes.front());
  }
}

/// Squares of radices that save a stage.
TEST(GpuKernels, TransformLinesOfWideOddRadices) {
  for (const int radix : {21, 27, 28, 30, 49}) {
    const auto problem = contiguous(Kind::c2c, Precision::f64, {2, Index{radix} * radix}, {1});
    const auto recipes = gpu::candidates(problem, {});
    const auto found = std::ranges::find_if(recipes, [&](const gpu::Recipe& recipe) {
      return recipe.passes[0].pass.tile_axes[0].radices == std::vector<int>{radix, radix};
    });
    ASSERT_NE(found, recipes.end()) << radix;
    expect_right(problem, *found);
  }
}

TEST(GpuKernels, SpreadALineOverACluster) {
  const auto problem = contiguous(Kind::c2c, Precision::f32, {65536}, {0}, Direction::backward);
  const auto recipes = gpu::candidates(problem, {});
  ASSERT_FALSE(recipes.empty());
  EXPECT_GT(recipes.front().passes.front().pass.cluster, 1);
  expect_right(problem, recipes.front());
}

TEST(GpuKernels, TransformLongAxesInTwoPasses) {
  const auto problem = contiguous(Kind::c2c, Precision::f64, {3 << 16}, {0});
  const auto recipes = gpu::candidates(problem, {.largest_cluster = 1});
  ASSERT_FALSE(recipes.empty());
  EXPECT_EQ(recipes.front().passes.size(), 2u);
  expect_right(problem, recipes.front());
}

TEST(GpuKernels, TransformLongAxesInThreePasses) {
  const auto problem = contiguous(Kind::c2c, Precision::f64, {1 << 19}, {0}, Direction::backward);
  bool found = false;
  for (const auto& recipe : gpu::candidates(problem, {.largest_cluster = 1}))
    if (!found && recipe.passes.size() == 3) {
      found = true;
      expect_right(problem, recipe);
    }
  EXPECT_TRUE(found);
}

/// Between the passes the columns of a tile lie together; a batch, and tiles in every cluster.
TEST(GpuKernels, TransformLongAxesByColumns) {
  const auto problem = contiguous(Kind::c2c, Precision::f64, {2, 1 << 18}, {1});
  std::set<int> clusters;
  for (const auto& recipe : gpu::candidates(problem, {}))
    if (recipe.passes.front().pass.loops.front().out_far > 0 &&
        clusters.insert(recipe.passes.front().pass.cluster).second)
      expect_right(problem, recipe);
  EXPECT_FALSE(clusters.empty());
}

TEST(GpuKernels, HoldATileInAClusterOf16) {
  const auto problem = contiguous(Kind::c2c, Precision::f32, {16, 32, 24}, {0, 1, 2});
  const auto recipe = gpu::two_pass_recipe(
      problem,
      {.first_points = 8, .columns = 8, .first = {1}, .second = {16, 16}, .by_columns = false});
  ASSERT_TRUE(recipe.has_value());
  EXPECT_EQ(recipe->passes[1].pass.cluster, 16);
  expect_right(problem, *recipe);
}

/// Lengths whose twiddles have a cosine of zero: its tangent must leave room for large numbers.
TEST(GpuKernels, DoNotDependOnTheSizeOfNumbers) {
  for (const Index n : {96, 512, 4096}) {
    const auto problem = contiguous(Kind::c2c, Precision::f32, {n}, {0});
    const auto recipes = gpu::candidates(problem, {});
    ASSERT_FALSE(recipes.empty());
    std::vector<std::complex<double>> values;
    for (const auto& v : random_field({n}, true, 5).values) values.emplace_back(v.real(), v.imag());
    const auto wanted = run_on_host(recipes.front(), values, n);
    for (const double size : {0x1p80, 0x1p-80}) {  // powers of two change no digit
      std::vector<std::complex<double>> scaled = values;
      for (auto& v : scaled) v *= size;
      const auto got = run_on_host(recipes.front(), scaled, n);
      for (std::size_t k = 0; k < got.size(); ++k) EXPECT_EQ(got[k], wanted[k] * size) << n;
    }
  }
}

TEST(GpuKernels, LeaveTheScaleOutWhereItIsOne) {
  auto problem = contiguous(Kind::c2c, Precision::f64, {12, 20}, {0, 1});
  problem.scale = 1;
  const auto recipes = gpu::candidates(problem, {});
  ASSERT_FALSE(recipes.empty());
  for (const gpu::PlacedPass& placed : recipes.front().passes) EXPECT_FALSE(placed.pass.scales);
  expect_right(problem, recipes.front());
}

TEST(GpuKernels, TransformThreeAxesInTwoPasses) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const int cluster : {1, 2, 4})
      for (const auto& [by_columns, cuts_far] :
           {std::pair{false, true}, {true, true}, {false, false}, {true, false}}) {
        const auto problem = contiguous(kind, Precision::f32, {2, 16, 32, 24}, {1, 2, 3});
        const auto recipe = gpu::two_pass_recipe(problem, {.first_points = 8,
                                                           .columns = 8,
                                                           .first = {cluster},
                                                           .second = {cluster},
                                                           .cuts_far = cuts_far,
                                                           .by_columns = by_columns});
        ASSERT_TRUE(recipe.has_value());
        expect_right(problem, *recipe);
      }
}

/// The batch lies between the axes, and digits of x and z reach over the bounds of their blocks.
TEST(GpuKernels, TransformThreeAxesOfABatchInBetween) {
  const auto problem = contiguous(Kind::c2c, Precision::f64, {18, 3, 16, 36}, {0, 2, 3});
  for (const int columns : {4, 8})
    for (const auto& [points, cuts_far] : {std::pair{6, false}, {16, false}, {16, true}}) {
      const auto recipe = gpu::two_pass_recipe(problem, {.first_points = cuts_far ? 6 : 4,
                                                         .columns = columns,
                                                         .first = {1, points},
                                                         .second = {1, points},
                                                         .cuts_far = cuts_far});
      ASSERT_TRUE(recipe.has_value());
      expect_right(problem, *recipe);
    }
}

/// Stored as halves, and resting so between stages or not; zeros stay zeros.
TEST(GpuKernels, StoreHalves) {
  auto cube = contiguous(Kind::c2c, Precision::f16, {16, 32, 24}, {0, 1, 2});
  cube.scale = 1.0 / 64;
  for (const bool half_shared : {false, true}) {
    const auto recipe = gpu::two_pass_recipe(
        cube,
        {.first_points = 8, .columns = 8, .first = {2}, .second = {4}, .half_shared = half_shared});
    ASSERT_TRUE(recipe.has_value());
    expect_right(cube, *recipe);
  }
  const auto line = contiguous(Kind::c2c, Precision::f16, {96}, {0});
  std::vector<std::complex<double>> values(96);
  values[0] = 1;
  for (const auto& x : run_on_host(gpu::candidates(line, {}).front(), values, 96))
    EXPECT_EQ(x, std::complex<double>(1));
}

/// A single pass, two and three with and without twiddles between, a convolution, pairs of planes.
TEST(GpuKernels, ScaleOnce) {
  for (const auto& [kind, shape] :
       std::vector<std::pair<Kind, std::vector<Index>>>{{Kind::c2c, {60}},
                                                        {Kind::c2c, {12, 20}},
                                                        {Kind::c2c, {3 << 14}},
                                                        {Kind::c2c, {1 << 19}},
                                                        {Kind::r2c, {97}},
                                                        {Kind::c2r, {8, 12, 10}}}) {
    std::vector<int> axes(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    const auto direction = kind == Kind::c2r ? Direction::backward : Direction::forward;
    const auto problem = contiguous(kind, Precision::f64, shape, axes, direction);
    const auto recipes = gpu::candidates(problem, {.largest_cluster = 1});
    ASSERT_FALSE(recipes.empty());
    expect_right(problem, recipes.front());
  }
  for (const bool pairs : {false, true}) {
    const auto problem = contiguous(Kind::r2c, Precision::f64, {32, 16, 20}, {0, 1, 2});
    const auto recipe = gpu::two_pass_recipe(
        problem,
        {.first_points = 8, .columns = 4, .first = {1, 8}, .second = {1, 8}, .pairs = pairs});
    ASSERT_TRUE(recipe.has_value());
    expect_right(problem, *recipe);
  }
}

TEST(GpuKernels, TakeTwoRealPlanesAtOnce) {
  for (const int cluster : {1, 2})
    for (const bool by_columns : {false, true}) {
      const auto problem = contiguous(Kind::r2c, Precision::f64, {2, 16, 32, 20}, {1, 2, 3});
      const auto recipe = gpu::two_pass_recipe(problem, {.first_points = 8,
                                                         .columns = 4,
                                                         .second = {cluster, 8},
                                                         .pairs = true,
                                                         .by_columns = by_columns});
      ASSERT_TRUE(recipe.has_value());
      EXPECT_TRUE(recipe->passes[1].pass.untangles());
      EXPECT_TRUE(recipe->passes[0].pass.tile_axes[0].out_turned);
      expect_right(problem, *recipe);
    }
}

TEST(GpuKernels, GiveTwoRealPlanesAtOnce) {
  for (const int cluster : {1, 2})
    for (const auto& [by_columns, width] :
         {std::pair{false, 20}, {true, 20}, {true, 24}, {true, 15}, {false, 2}}) {
      const auto problem =
          contiguous(Kind::c2r, Precision::f64, {2, 16, 32, width}, {1, 2, 3}, Direction::backward);
      const auto recipe = gpu::two_pass_recipe(problem, {.first_points = 8,
                                                         .columns = 4,
                                                         .first = {cluster, 8},
                                                         .second = {cluster, 8},
                                                         .pairs = true,
                                                         .by_columns = by_columns});
      ASSERT_TRUE(recipe.has_value());
      EXPECT_TRUE(recipe->passes[0].pass.tangles);
      EXPECT_EQ(recipe->passes[1].pass.tile_axes[0].in_turned, width % 2 == 0);
      for (const bool spectrum_of_reals : {true, false})
        expect_right(problem, *recipe, spectrum_of_reals);
    }
}

/// Imaginary parts that no real field has, as of a derivative at the highest frequency, are ignored
/// by every recipe alike.
TEST(GpuKernels, IgnoreWhatBelongsToNoRealField) {
  const auto problem =
      contiguous(Kind::c2r, Precision::f64, {6, 4, 8}, {0, 1, 2}, Direction::backward);
  const auto recipes = gpu::candidates(problem, {.largest_cluster = 1});
  ASSERT_FALSE(recipes.empty());
  expect_right(problem, recipes.front(), false);
}

/// A c2c array whose two sides are cut along two axes, as exchanges between ranks leave them.
TEST(GpuKernels, ReadAndWriteBlocks) {
  auto problem = contiguous(Kind::c2c, Precision::f64, {6, 12, 20}, {2, 1});
  auto dense = problem;
  problem::Dimension &z = problem.dimensions[0], &y = problem.dimensions[1],
                     &x = problem.dimensions[2];
  x.in = 2, y.in = 10, z.in = 120, x.in_blocks = {5, 720};      // [4 of x][z][y][5]
  x.out = 2, y.out = 40, z.out = 160, y.out_blocks = {4, 960};  // [3 of y][z][4][x]
  const auto recipes = gpu::candidates(problem, {});
  ASSERT_FALSE(recipes.empty());
  const Field input = random_field({6, 12, 20}, true, 3);
  const Field wanted = expected(transform_of(dense), input);
  std::vector<std::complex<double>> values(input.values.size());
  const auto index = [](Index a, Index b, Index c) {
    return static_cast<std::size_t>((a * 12 + b) * 20 + c);
  };
  for (Index a = 0; a < 6; ++a)
    for (Index b = 0; b < 12; ++b)
      for (Index c = 0; c < 20; ++c) {
        const auto& v = input.values[index(a, b, c)];
        values[static_cast<std::size_t>(c / 5 * 360 + a * 60 + b * 5 + c % 5)] = {
            static_cast<double>(v.real()), static_cast<double>(v.imag())};
      }
  const auto result = run_on_host(recipes.front(), values, 1440);
  Field got({6, 12, 20});
  for (Index a = 0; a < 6; ++a)
    for (Index b = 0; b < 12; ++b)
      for (Index c = 0; c < 20; ++c) {
        const auto& v = result[static_cast<std::size_t>(b / 4 * 480 + a * 80 + b % 4 * 20 + c)];
        got.values[index(a, b, c)] = LongComplex(v.real(), v.imag());
      }
  EXPECT_LT(relative_error(got, wanted), tolerance(Precision::f64, 1440));
}

TEST(GpuKernels, TransformAnyLength) {
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const auto problem = contiguous(Kind::c2c, Precision::f64, {34, 2, 17 * 3}, {0, 2}, direction);
    const auto recipes = gpu::candidates(problem, {});
    ASSERT_FALSE(recipes.empty());
    EXPECT_EQ(recipes.front().passes.size(), 4u);
    expect_right(problem, recipes.front());
  }
}

/// Primes whose convolution exceeds a tile.
TEST(GpuKernels, SplitLongConvolutions) {
  const gpu::DeviceNumbers limits{.largest_cluster = 1};
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const auto& [shape, axes] : std::vector<std::pair<std::vector<Index>, std::vector<int>>>{
             {{10007}, {0}}, {{2, 8209}, {1}}, {{8221, 3}, {0}}, {{2 * 8209}, {0}}}) {
      const auto problem = contiguous(kind, Precision::f64, shape, axes,
                                      kind == Kind::c2r ? Direction::backward : Direction::forward);
      const auto recipes = gpu::candidates(problem, limits);
      ASSERT_FALSE(recipes.empty());
      EXPECT_EQ(recipes.front().passes.size(), 4u);
      expect_right(problem, recipes.front());
    }
  const auto back = contiguous(Kind::c2c, Precision::f64, {8209}, {0}, Direction::backward);
  expect_right(back, gpu::candidates(back, limits).front());
  auto halves = contiguous(Kind::c2c, Precision::f16, {16411}, {0});
  halves.scale = 1.0 / 128;
  expect_right(halves, gpu::candidates(halves, limits).front());
  const auto longest = contiguous(Kind::c2c, Precision::f32, {33554393}, {0});  // prime
  EXPECT_FALSE(gpu::candidates(longest, {}).empty());
  const auto too_long = contiguous(Kind::c2c, Precision::f32, {33554467}, {0});
  EXPECT_TRUE(gpu::candidates(too_long, {}).empty());
}

/// Even and odd, batched, along a distant axis, with a tile that hangs over the last column.
TEST(GpuKernels, SplitLongRealAxes) {
  const gpu::DeviceNumbers limits{.largest_cluster = 1};
  for (const Kind kind : {Kind::r2c, Kind::c2r})
    for (const auto& [shape, axes] : std::vector<std::pair<std::vector<Index>, std::vector<int>>>{
             {{16384}, {0}}, {{19683}, {0}}, {{3, 9000}, {1}}, {{10010, 2}, {0}}}) {
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        if (kind == Kind::c2r && direction == Direction::forward) continue;
        const auto problem = contiguous(kind, Precision::f64, shape, axes, direction);
        const auto recipes = gpu::candidates(problem, limits);
        const auto split = std::ranges::find(
            recipes, 2u, [](const gpu::Recipe& recipe) { return recipe.passes.size(); });
        ASSERT_NE(split, recipes.end());
        expect_right(problem, *split);
        if (kind == Kind::c2r) expect_right(problem, *split, false);
      }
    }
}

/// 29056 points of f32 fit, and half as many of f64.
TEST(GpuKernels, KeepLinesThatFillABlockInOnePass) {
  const gpu::DeviceNumbers limits{.largest_cluster = 1};
  struct Case {
    Kind kind;
    Precision precision;
    Index length;
    std::size_t passes;
  };
  for (const auto& [kind, precision, length, passes] :
       {Case{Kind::c2c, Precision::f32, 16807, 1}, Case{Kind::c2c, Precision::f32, 33614, 2},
        Case{Kind::c2c, Precision::f64, 14406, 1}, Case{Kind::c2c, Precision::f64, 16807, 2},
        Case{Kind::r2c, Precision::f64, 14406, 1}, Case{Kind::c2r, Precision::f64, 9000, 1}}) {
    const auto problem = contiguous(kind, precision, {length}, {0},
                                    kind == Kind::c2r ? Direction::backward : Direction::forward);
    const auto recipes = gpu::candidates(problem, limits);
    ASSERT_FALSE(recipes.empty());
    const auto fewest = std::ranges::min_element(
        recipes, {}, [](const gpu::Recipe& recipe) { return recipe.passes.size(); });
    EXPECT_EQ(fewest->passes.size(), passes) << length;
    expect_right(problem, *fewest);
  }
}

double huge(Precision precision) {
  return precision == Precision::f64 ? 1e300 : precision == Precision::f32 ? 1e30 : 6e4;
}

/// The axis of the batch has five members; others are transformed.
void expect_isolated_members(const problem::ArrayProblem& problem, const gpu::Recipe& recipe) {
  std::size_t batch = 0;
  while (problem.dimensions[batch].n != 5) ++batch;
  const std::vector<Index> in_shape = problem.in_shape(), out_shape = problem.out_shape();
  Index outputs = 1;
  for (const Index n : out_shape) outputs *= n;
  const auto member = [&](const std::vector<Index>& shape, std::size_t place) {
    auto at = static_cast<Index>(place);
    for (std::size_t d = shape.size() - 1; d > batch; --d) at /= shape[d];
    return at % 5;
  };
  std::vector<std::vector<std::complex<double>>> inputs(1);
  for (const auto& v : random_field(in_shape, problem.kind != Kind::r2c, 7).values)
    inputs[0].emplace_back(v.real(), v.imag());
  const double values[] = {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), huge(problem.precision)};
  // Every member whole, with one value after another, and every member at a single point.
  constexpr std::size_t members = 5;
  for (std::size_t round = 0; round < 2 * members; ++round) {
    const double value = values[(round + inputs[0].size()) % 3];
    const auto planted = static_cast<Index>(round % members);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < inputs[0].size(); ++i)
      if (member(in_shape, i) == planted) places.push_back(i);
    if (round >= members) places = {places[(7 * round + 3) % places.size()]};
    inputs.push_back(inputs[0]);
    for (const std::size_t i : places) inputs.back()[i] = {value, value};
  }
  const auto results = run_each_on_host(recipe, inputs, outputs);
  for (std::size_t round = 0; round < 2 * members; ++round)
    for (std::size_t i = 0; i < results[0].size(); ++i)
      if (member(out_shape, i) != static_cast<Index>(round % members)) {
        ASSERT_EQ(results[round + 1][i], results[0][i])
            << "round " << round << " of " << to_text(recipe);
      }
}

/// Rows, columns, a batch between the axes; lengths that are even, odd, prime, split, convolved. Of
/// each the first recipe, and another one in one precision after another.
TEST(GpuKernels, KeepTheTransformsOfABatchApart) {
  const gpu::DeviceNumbers limits{.largest_cluster = 1};
  std::size_t number = 0;
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const auto& [shape, axes] :
         std::vector<std::pair<std::vector<Index>, std::vector<int>>>{{{5, 12}, {1}},
                                                                      {{5, 15}, {1}},
                                                                      {{5, 97}, {1}},
                                                                      {{21, 5}, {0}},
                                                                      {{6, 5, 9}, {0, 2}},
                                                                      {{5, 6561}, {1}},
                                                                      {{5, 8209}, {1}}}) {
      const auto direction = kind == Kind::c2r ? Direction::backward : Direction::forward;
      const Precision precisions[] = {Precision::f16, Precision::f32, Precision::f64};
      const auto other = contiguous(kind, precisions[number % 3], shape, axes, direction);
      const auto others = gpu::candidates(other, limits);
      ASSERT_FALSE(others.empty());
      expect_isolated_members(other, others[++number * others.size() / 22]);
      const auto problem = contiguous(kind, precisions[number % 3], shape, axes, direction);
      expect_isolated_members(problem, gpu::candidates(problem, limits).front());
    }
}

/// Pairs are planes of one array, never of two.
TEST(GpuKernels, PairNoPlanesOfDifferentArrays) {
  for (const Kind kind : {Kind::r2c, Kind::c2r})
    for (const bool by_columns : {false, true}) {
      const auto direction = kind == Kind::c2r ? Direction::backward : Direction::forward;
      for (const Precision precision :
           {by_columns ? Precision::f16 : Precision::f32, Precision::f64}) {
        const auto problem = contiguous(kind, precision, {5, 16, 32, 20}, {1, 2, 3}, direction);
        const auto recipe = gpu::two_pass_recipe(problem, {.first_points = 8,
                                                           .columns = 4,
                                                           .first = {1, 8},
                                                           .second = {1, 8},
                                                           .pairs = true,
                                                           .by_columns = by_columns});
        ASSERT_TRUE(recipe.has_value());
        expect_isolated_members(problem, *recipe);
      }
    }
}

TEST(GpuKernels, TransformRealFields) {
  for (const Kind kind : {Kind::r2c, Kind::c2r})
    for (const auto& shape : std::vector<std::vector<Index>>{
             {15}, {6, 20}, {4, 5, 18}, {34, 3}, {3, 17}, {16, 16, 1}}) {
      std::vector<int> axes;
      for (int d = 0; d < static_cast<int>(shape.size()); ++d) axes.push_back(d);
      const auto problem = contiguous(kind, Precision::f64, shape, axes,
                                      kind == Kind::c2r ? Direction::backward : Direction::forward);
      const auto recipes = gpu::candidates(problem, {});
      ASSERT_FALSE(recipes.empty());
      expect_right(problem, recipes.front());
    }
}

}  // namespace
}  // namespace weft::test
