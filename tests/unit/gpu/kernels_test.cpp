// SPDX-License-Identifier: BSD-3-Clause
// Whole recipes, emitted, compiled for the host and compared with the reference.
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "gpu/two_pass.hpp"
#include "host_kernel.hpp"
#include "support/oracle.hpp"

namespace weft::test {
namespace {

gpu::Problem contiguous(Kind kind, Precision precision, const std::vector<Index>& shape,
                        std::vector<int> axes, Direction direction = Direction::forward) {
  gpu::Problem problem{kind, precision, direction, {}, std::move(axes)};
  problem.dimensions.resize(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) problem.dimensions[d].n = shape[d];
  Index in = 1, out = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    problem.dimensions[d].in = in;
    problem.dimensions[d].out = out;
    const Index half = gpu::half_extent(problem, static_cast<int>(d));
    in *= kind == Kind::c2r ? half : shape[d];
    out *= kind == Kind::r2c ? half : shape[d];
  }
  return problem;
}

Transform transform_of(const gpu::Problem& problem) {
  Transform t;
  t.kind = problem.kind;
  for (const auto& d : problem.dimensions) t.shape.push_back(d.n);
  t.axes = problem.axes;
  t.direction = problem.kind == Kind::c2r ? Direction::backward : problem.direction;
  t.precision = problem.precision;
  return t;
}

/// `spectrum_of_reals`: what c2r is given belongs to a real field.
void expect_right(const gpu::Problem& problem, const gpu::Recipe& recipe, double scale = 1,
                  bool spectrum_of_reals = true) {
  std::vector<Index> in_shape, out_shape;
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d) {
    const Index n = problem.dimensions[static_cast<std::size_t>(d)].n,
                half = gpu::half_extent(problem, d);
    in_shape.push_back(problem.kind == Kind::c2r ? half : n);
    out_shape.push_back(problem.kind == Kind::r2c ? half : n);
  }
  Field input = random_field(in_shape, problem.kind != Kind::r2c, 7);
  if (problem.kind == Kind::c2r && spectrum_of_reals) {
    Transform forward = transform_of(problem);
    forward.kind = Kind::r2c;
    forward.direction = Direction::forward;
    input = expected(forward, random_field(out_shape, false, 7));
  }
  Field wanted = expected(transform_of(problem), input);
  for (LongComplex& value : wanted.values) value *= static_cast<long double>(scale);
  std::vector<std::complex<double>> values;
  for (const auto& v : input.values) values.emplace_back(v.real(), v.imag());
  const auto result = run_on_host(recipe, values, static_cast<Index>(wanted.values.size()), scale);
  ASSERT_EQ(result.size(), wanted.values.size());
  Field got(out_shape);
  for (std::size_t i = 0; i < result.size(); ++i)
    got.values[i] = LongComplex(result[i].real(), result[i].imag());
  EXPECT_LT(relative_error(got, wanted),
            tolerance(problem.precision, static_cast<Index>(wanted.values.size())))
      << to_text(recipe);
}

TEST(GpuKernels, TransformLinesOfEverySort) {
  const gpu::Limits limits;
  for (const auto& [shape, axes] : std::vector<std::pair<std::vector<Index>, std::vector<int>>>{
           {{16}, {0}}, {{3, 60}, {1}}, {{5, 77, 6}, {1}}, {{2048, 2}, {0}}, {{1, 1}, {0, 1}}}) {
    const auto problem = contiguous(Kind::c2c, Precision::f64, shape, axes);
    const auto recipes = gpu::candidates(problem, limits);
    ASSERT_FALSE(recipes.empty());
    expect_right(problem, recipes.front());
  }
}

TEST(GpuKernels, SpreadALineOverACluster) {
  const auto problem = contiguous(Kind::c2c, Precision::f32, {65536}, {0}, Direction::backward);
  const auto recipes = gpu::candidates(problem, {});
  ASSERT_FALSE(recipes.empty());
  EXPECT_GT(recipes.front().steps.front().pass.cluster, 1);
  expect_right(problem, recipes.front());
}

TEST(GpuKernels, TransformLongAxesInTwoPasses) {
  const auto problem = contiguous(Kind::c2c, Precision::f64, {3 << 16}, {0});
  const auto recipes = gpu::candidates(problem, {.largest_cluster = 1});
  ASSERT_FALSE(recipes.empty());
  EXPECT_EQ(recipes.front().steps.size(), 2u);
  expect_right(problem, recipes.front());
}

TEST(GpuKernels, TransformLongAxesInThreePasses) {
  const auto problem = contiguous(Kind::c2c, Precision::f64, {1 << 19}, {0}, Direction::backward);
  bool found = false;
  for (const auto& recipe : gpu::candidates(problem, {.largest_cluster = 1}))
    if (!found && recipe.steps.size() == 3) {
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
    if (recipe.steps.front().pass.loops.front().out_far > 0 &&
        clusters.insert(recipe.steps.front().pass.cluster).second)
      expect_right(problem, recipe);
  EXPECT_FALSE(clusters.empty());
}

TEST(GpuKernels, HoldATileInAClusterOf16) {
  const auto problem = contiguous(Kind::c2c, Precision::f32, {16, 32, 24}, {0, 1, 2});
  const auto recipe = gpu::two_pass_recipe(
      problem,
      {.first_points = 8, .columns = 8, .first = {1}, .second = {16, 16}, .by_columns = false});
  ASSERT_TRUE(recipe.has_value());
  EXPECT_EQ(recipe->steps[1].pass.cluster, 16);
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
  problem.scales = false;
  const auto recipes = gpu::candidates(problem, {});
  ASSERT_FALSE(recipes.empty());
  for (const gpu::Step& step : recipes.front().steps) EXPECT_FALSE(step.pass.scales);
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
  const auto cube = contiguous(Kind::c2c, Precision::f16, {16, 32, 24}, {0, 1, 2});
  for (const bool half_shared : {false, true}) {
    const auto recipe = gpu::two_pass_recipe(
        cube,
        {.first_points = 8, .columns = 8, .first = {2}, .second = {4}, .half_shared = half_shared});
    ASSERT_TRUE(recipe.has_value());
    expect_right(cube, *recipe, 1.0 / 64);
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
    expect_right(problem, recipes.front(), 0.3);
  }
  for (const bool pairs : {false, true}) {
    const auto problem = contiguous(Kind::r2c, Precision::f64, {32, 16, 20}, {0, 1, 2});
    const auto recipe = gpu::two_pass_recipe(
        problem,
        {.first_points = 8, .columns = 4, .first = {1, 8}, .second = {1, 8}, .pairs = pairs});
    ASSERT_TRUE(recipe.has_value());
    expect_right(problem, *recipe, 0.3);
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
      EXPECT_TRUE(recipe->steps[1].pass.untangles());
      EXPECT_TRUE(recipe->steps[0].pass.pieces[0].out_turned);
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
      EXPECT_TRUE(recipe->steps[0].pass.tangles);
      EXPECT_EQ(recipe->steps[1].pass.pieces[0].in_turned, width % 2 == 0);
      for (const bool spectrum_of_reals : {true, false})
        expect_right(problem, *recipe, 0.3, spectrum_of_reals);
    }
}

/// Imaginary parts that no real field has, as of a derivative at the highest frequency, are ignored
/// by every recipe alike.
TEST(GpuKernels, IgnoreWhatBelongsToNoRealField) {
  const auto problem =
      contiguous(Kind::c2r, Precision::f64, {6, 4, 8}, {0, 1, 2}, Direction::backward);
  const auto recipes = gpu::candidates(problem, {.largest_cluster = 1});
  ASSERT_FALSE(recipes.empty());
  expect_right(problem, recipes.front(), 1, false);
}

/// A c2c array whose two sides are cut along two axes, as exchanges between ranks leave them.
TEST(GpuKernels, ReadAndWriteBlocks) {
  auto problem = contiguous(Kind::c2c, Precision::f64, {6, 12, 20}, {2, 1});
  auto dense = problem;
  gpu::Dimension &z = problem.dimensions[0], &y = problem.dimensions[1], &x = problem.dimensions[2];
  x.in = 1, y.in = 5, z.in = 60, x.in_blocks = {5, 360};       // [4 of x][z][y][5]
  x.out = 1, y.out = 20, z.out = 80, y.out_blocks = {4, 480};  // [3 of y][z][4][x]
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
    EXPECT_EQ(recipes.front().steps.size(), 4u);
    expect_right(problem, recipes.front());
  }
}

/// Primes whose convolution exceeds a tile.
TEST(GpuKernels, SplitLongConvolutions) {
  const gpu::Limits limits{.largest_cluster = 1};
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const auto& [shape, axes] : std::vector<std::pair<std::vector<Index>, std::vector<int>>>{
             {{10007}, {0}}, {{2, 8209}, {1}}, {{8221, 3}, {0}}, {{2 * 8209}, {0}}}) {
      const auto problem = contiguous(kind, Precision::f64, shape, axes,
                                      kind == Kind::c2r ? Direction::backward : Direction::forward);
      const auto recipes = gpu::candidates(problem, limits);
      ASSERT_FALSE(recipes.empty());
      EXPECT_EQ(recipes.front().steps.size(), 4u);
      expect_right(problem, recipes.front(), 0.25);
    }
  const auto back = contiguous(Kind::c2c, Precision::f64, {8209}, {0}, Direction::backward);
  expect_right(back, gpu::candidates(back, limits).front());
  const auto halves = contiguous(Kind::c2c, Precision::f16, {16411}, {0});
  expect_right(halves, gpu::candidates(halves, limits).front(), 1.0 / 128);
  const auto longest = contiguous(Kind::c2c, Precision::f32, {33554393}, {0});  // prime
  EXPECT_FALSE(gpu::candidates(longest, {}).empty());
  const auto too_long = contiguous(Kind::c2c, Precision::f32, {33554467}, {0});
  EXPECT_TRUE(gpu::candidates(too_long, {}).empty());
}

/// Even and odd, batched, along a distant axis, with a tile that hangs over the last column.
TEST(GpuKernels, SplitLongRealAxes) {
  const gpu::Limits limits{.largest_cluster = 1};
  for (const Kind kind : {Kind::r2c, Kind::c2r})
    for (const auto& [shape, axes] : std::vector<std::pair<std::vector<Index>, std::vector<int>>>{
             {{16384}, {0}}, {{19683}, {0}}, {{3, 9000}, {1}}, {{10010, 2}, {0}}}) {
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        if (kind == Kind::c2r && direction == Direction::forward) continue;
        const auto problem = contiguous(kind, Precision::f64, shape, axes, direction);
        const auto recipes = gpu::candidates(problem, limits);
        ASSERT_FALSE(recipes.empty());
        EXPECT_EQ(recipes.front().steps.size(), 2u);
        expect_right(problem, recipes.front(), 0.5);
        if (kind == Kind::c2r) expect_right(problem, recipes.front(), 1, false);
      }
    }
}

TEST(GpuKernels, TransformRealFields) {
  for (const Kind kind : {Kind::r2c, Kind::c2r})
    for (const auto& shape :
         std::vector<std::vector<Index>>{{15}, {6, 20}, {4, 5, 18}, {34, 3}, {3, 17}}) {
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
