// SPDX-License-Identifier: BSD-3-Clause
// Real lines as complex ones of half the length: recipes of them are emitted, compiled for the CPU
// and compared with the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "gpu/choose/candidates.hpp"
#include "gpu/emit/emit_kernel.hpp"
#include "gpu/recipe/axis_by_axis.hpp"
#include "gpu/recipe/axis_passes.hpp"
#include "gpu/recipe/cost.hpp"
#include "gpu/recipe/fits.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "host_kernel.hpp"
#include "problems.hpp"

namespace weft::test {
namespace {

using problem::ArrayProblem;

constexpr Kind real_kinds[] = {Kind::r2c, Kind::c2r};

Direction usual(Kind kind) { return kind == Kind::c2r ? Direction::backward : Direction::forward; }

ArrayProblem lines(Kind kind, Precision precision, const std::vector<Index>& shape) {
  return contiguous(kind, precision, shape, {static_cast<int>(shape.size()) - 1}, usual(kind));
}

bool is_halved(const gpu::PlacedPass& placed) { return placed.pass.tile_axes.front().is_halved; }
bool has_halved(const gpu::Recipe& recipe) { return std::ranges::any_of(recipe.passes, is_halved); }

gpu::Recipe halved(const ArrayProblem& problem, gpu::LineOptions options = {},
                   const gpu::DeviceNumbers& numbers = {}) {
  options.halved = true;
  const auto recipe = gpu::axis_by_axis(problem, numbers, options);
  EXPECT_TRUE(recipe.has_value()) << to_text(problem);
  if (!recipe) return {};
  EXPECT_TRUE(has_halved(*recipe)) << to_text(*recipe);
  return *recipe;
}

/// The real line in two passes, the first of n1 points.
gpu::Recipe split(const ArrayProblem& problem, Index n1, gpu::LineOptions options = {}) {
  gpu::AxisPasses passes(problem);
  passes.begin(problem.halved_axis(), gpu::Place::input, gpu::Place::output);
  options.halved = true;
  EXPECT_TRUE(passes.in_two_halved(
      n1, [&](const gpu::LineProblem& line) { return gpu::line_pass(line, {}, options); }));
  return passes.finished();
}

/// Is read as it was printed, fits, and computes the transform.
void expect_good(const ArrayProblem& problem, const gpu::Recipe& recipe) {
  EXPECT_EQ(gpu::parse_recipe(to_text(recipe)), recipe) << to_text(recipe);
  EXPECT_NO_THROW(check_fit(recipe, problem, {})) << to_text(recipe);
  expect_right(problem, recipe);
}

TEST(GpuHalvedLines, AreRightForEveryEvenLength) {
  for (const Kind kind : real_kinds)
    for (const Index n : {2,  4,  6,   10,  12,  18,  22,  26,   30,   64,   90,
                          96, 98, 100, 250, 286, 512, 686, 1000, 1024, 1458, 4096}) {
      const auto problem = lines(kind, Precision::f64, {3, n});
      expect_good(problem, halved(problem));
      if (n == 64 || n == 96 || n == 1000)
        for (const int largest : {8, 32})
          expect_good(problem, halved(problem, {.largest_radix = largest}));
    }
}

/// The last radix of r2c and the first radix of c2r may be odd. So may the product of the others.
TEST(GpuHalvedLines, AreRightForEveryOrderOfRadices) {
  for (const Kind kind : real_kinds)
    for (const std::vector<int>& radices : std::vector<std::vector<int>>{{2, 2},
                                                                         {2, 3},
                                                                         {3, 2},
                                                                         {3, 3},
                                                                         {3, 5},
                                                                         {4, 3},
                                                                         {3, 4},
                                                                         {2, 3, 2},
                                                                         {5, 2, 3},
                                                                         {3, 3, 3},
                                                                         {2, 2, 2, 2},
                                                                         {6, 5},
                                                                         {16, 16},
                                                                         {7, 9}}) {
      const Index n = std::accumulate(radices.begin(), radices.end(), 2, std::multiplies<>());
      const auto problem = lines(kind, Precision::f64, {3, n});
      gpu::Recipe recipe = halved(problem);
      gpu::TilePass& pass = recipe.passes[0].pass;
      pass.tile_axes[0].radices = radices;
      pass.stages.clear();
      for (int i = 0; i < static_cast<int>(radices.size()); ++i) pass.stages.push_back({{0, i}});
      pass.loops[0].tile = 2;  // the last one hangs over
      expect_good(problem, recipe);
    }
}

TEST(GpuHalvedLines, AreRightInEveryPrecisionAndDirection) {
  for (const Kind kind : real_kinds)
    for (const Precision precision : {Precision::f16, Precision::f32, Precision::f64})
      for (const Direction direction : {Direction::forward, Direction::backward})
        for (const bool half_shared : {false, true}) {
          if (kind == Kind::c2r && direction == Direction::forward) continue;  // see below
          auto problem = lines(kind, precision, {5, 240});
          problem.direction = direction;
          problem.scale = precision == Precision::f16 ? 1.0 / 16 : 0.5;
          expect_good(problem, halved(problem, {.half_shared = half_shared}));
        }
}

/// c2r forward, which plans do not ask for, is what lines that are not halved make of it.
TEST(GpuHalvedLines, AgreeWithWholeLinesInTheOtherDirection) {
  auto problem = lines(Kind::c2r, Precision::f64, {5, 240});
  problem.direction = Direction::forward;
  const gpu::Recipe half = halved(problem);
  const auto whole = gpu::axis_by_axis(problem, {}, {});
  ASSERT_TRUE(whole.has_value());
  ASSERT_FALSE(has_halved(*whole));
  std::vector<std::complex<double>> values;
  for (const auto& v : random_field({5, 121}, true, 3).values)
    values.emplace_back(v.real(), v.imag());
  const auto wanted = run_on_host(*whole, values, 1200), got = run_on_host(half, values, 1200);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    ASSERT_LT(std::abs(got[i] - wanted[i]), 1e-12) << i;
}

/// Without a scale of its own a pass still takes the halves.
TEST(GpuHalvedLines, AreRightWithoutAScale) {
  for (const Kind kind : real_kinds) {
    auto problem = lines(kind, Precision::f64, {2, 60});
    problem.scale = 1;
    expect_good(problem, halved(problem));
  }
}

/// Axes of planes and volumes, the real one contiguous, in the middle, or far.
TEST(GpuHalvedLines, AreRightInArraysOfSeveralAxes) {
  for (const Kind kind : real_kinds)
    for (const auto& [shape, axes] :
         std::vector<std::pair<std::vector<Index>, std::vector<int>>>{{{12, 20}, {0, 1}},
                                                                      {{7, 6, 10}, {0, 1, 2}},
                                                                      {{36, 5}, {0}},
                                                                      {{5, 24, 3}, {1}},
                                                                      {{24, 9}, {1, 0}},
                                                                      {{3, 8, 30}, {2, 0, 1}}}) {
      const auto problem = contiguous(kind, Precision::f64, shape, axes, usual(kind));
      expect_good(problem, halved(problem));
    }
}

/// The spectrum of a real field has no imaginary part at 0 and n/2.
TEST(GpuHalvedLines, IgnoreWhatBelongsToNoRealField) {
  for (const std::vector<Index>& shape :
       std::vector<std::vector<Index>>{{3, 8}, {3, 100}, {9, 18}}) {
    const auto problem = lines(Kind::c2r, Precision::f64, shape);
    expect_right(problem, halved(problem), false);
  }
}

/// In two passes, the one with the spectrum by twin rows: even and odd numbers of rows and of
/// points in them, of one stage and of several, tiles that hang over the last row.
TEST(GpuHalvedLines, AreSplitInTwo) {
  for (const Kind kind : real_kinds)
    for (const auto& [n1, n2] : std::vector<std::pair<Index, Index>>{{2, 2},
                                                                     {2, 3},
                                                                     {3, 2},
                                                                     {3, 5},
                                                                     {4, 4},
                                                                     {5, 6},
                                                                     {8, 36},
                                                                     {9, 25},
                                                                     {36, 35},
                                                                     {64, 96}}) {
      const auto problem = lines(kind, Precision::f64, {1 + n2 % 3, 2 * n1 * n2});
      const gpu::Recipe recipe = split(problem, n1, {.largest_radix = 8, .small_tile = 64});
      ASSERT_EQ(recipe.passes.size(), 2u);
      EXPECT_TRUE(is_halved(recipe.passes[kind == Kind::r2c ? 1 : 0]));
      EXPECT_EQ(recipe.passes[0].pass.tile_axes[0].n(), n1);
      expect_good(problem, recipe);
    }
}

/// Their factors are products of two tables; a scale among the twiddles; both clusters.
TEST(GpuHalvedLines, AreSplitInTwoWhereTheyAreLong) {
  for (const Kind kind : real_kinds)
    for (const int cluster : {1, 2}) {
      const auto problem = lines(kind, Precision::f64, {1 << 18});
      const gpu::Recipe recipe =
          split(problem, kind == Kind::r2c ? 512 : 256,
                {.segment_bytes = 64, .block_points = 4096 / cluster, .small_tile = 64});
      EXPECT_EQ(recipe.passes[kind == Kind::r2c ? 1 : 0].pass.cluster, cluster);
      expect_good(problem, recipe);
    }
}

TEST(GpuHalvedLines, AreSplitInTwoInEveryPrecisionAndDirection) {
  for (const Kind kind : real_kinds)
    for (const Precision precision : {Precision::f16, Precision::f32})
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        if (kind == Kind::c2r && direction == Direction::forward) continue;
        auto problem = lines(kind, precision, {3, 960});
        problem.direction = direction;
        problem.scale = precision == Precision::f16 ? 1.0 / 32 : 0.5;
        expect_good(problem, split(problem, 20, {.half_shared = true}));
      }
}

/// The axis is contiguous, in the middle, or far; other axes are transformed as well.
TEST(GpuHalvedLines, AreSplitInTwoInArrays) {
  for (const Kind kind : real_kinds)
    for (const auto& [shape, axes] : std::vector<std::pair<std::vector<Index>, std::vector<int>>>{
             {{12, 120}, {0, 1}}, {{120, 5}, {0}}, {{3, 120, 4}, {1}}, {{120, 3, 6}, {2, 0}}}) {
      const auto problem = contiguous(kind, Precision::f64, shape, axes, usual(kind));
      gpu::LineOptions options{.small_tile = 64, .longest_line = 30};
      const gpu::Recipe recipe = halved(problem, options);
      EXPECT_GT(recipe.passes.size(), axes.size());
      expect_good(problem, recipe);
      if (kind == Kind::c2r) expect_right(problem, recipe, false);
    }
}

TEST(GpuHalvedLines, AreHeldByClusters) {
  for (const Kind kind : real_kinds)
    for (const int cluster : {2, 4}) {
      const Index n = 8192;
      const auto problem = lines(kind, Precision::f32, {2, n});
      const gpu::Recipe recipe =
          halved(problem, {.largest_radix = 32, .block_points = n / 2 / cluster, .small_tile = 64});
      EXPECT_EQ(recipe.passes[0].pass.cluster, cluster);
      expect_good(problem, recipe);
    }
}

/// Two numbers are read and written together only where they lie so.
TEST(GpuHalvedLines, AreRightWhereNumbersAreNotAligned) {
  for (const Kind kind : real_kinds)
    for (const Index shift : {0, 1})
      for (const Index row : {40, 41}) {
        constexpr Index n = 36, batch = 3;
        auto problem = lines(kind, Precision::f32, {batch, n});
        problem.scale = 1;
        auto& rows = problem.dimensions[0];
        (kind == Kind::r2c ? rows.in : rows.out) = row;
        const gpu::Recipe recipe = halved(problem);
        const gpu::TilePass& pass = recipe.passes[0].pass;
        const gpu::Geometry geometry(pass);
        const gpu::Tables tables(pass);
        const HostLibrary library(emit_kernel(pass, geometry, tables));
        const auto run = library.function<void (*)(const void*, void*, const void*, double)>(
            "weft_pass_on_host");
        ASSERT_NE(run, nullptr);
        const auto dense = lines(kind, Precision::f32, {batch, n});
        const Field reals = random_field({batch, n}, false, 5);
        const Field spectrum =
            expected(transform_of(lines(Kind::r2c, Precision::f32, {batch, n})), reals);
        std::vector<float> real_side(batch * row + 2, 7), modes;
        for (const auto& v : spectrum.values) {
          modes.push_back(static_cast<float>(v.real()));
          modes.push_back(static_cast<float>(v.imag()));
        }
        const auto place = [&](Index b, Index i) {
          return static_cast<std::size_t>(shift + b * row + i);
        };
        const auto value = [&](Index b, Index i) {
          return static_cast<float>(reals.values[static_cast<std::size_t>(b * n + i)].real());
        };
        const std::vector<unsigned char> bytes = tables.bytes(Precision::f32);
        if (kind == Kind::r2c) {
          for (Index b = 0; b < batch; ++b)
            for (Index i = 0; i < n; ++i) real_side[place(b, i)] = value(b, i);
          std::vector<float> result(modes.size(), 9);
          run(real_side.data() + shift, result.data(), bytes.data(), 1);
          for (std::size_t i = 0; i < modes.size(); ++i) ASSERT_NEAR(result[i], modes[i], 1e-5);
        } else {
          const std::vector<float> before = real_side;
          run(modes.data(), real_side.data() + shift, bytes.data(), 1);
          std::set<std::size_t> written;
          for (Index b = 0; b < batch; ++b)
            for (Index i = 0; i < n; ++i) {
              ASSERT_NEAR(real_side[place(b, i)], n * value(b, i), 1e-4);
              written.insert(place(b, i));
            }
          for (std::size_t i = 0; i < before.size(); ++i)
            if (!written.contains(i)) {
              ASSERT_EQ(real_side[i], before[i]);
            }
        }
      }
}

/// Rows with room for their spectrum, transformed where they are.
TEST(GpuHalvedLines, AreTransformedInPlace) {
  for (const Kind kind : real_kinds)
    for (const Index n : {8, 60, 512}) {
      constexpr Index batch = 5;
      const Index row = n + 2;
      auto problem = lines(kind, Precision::f64, {batch, n});
      problem.scale = 1;
      problem.dimensions[0] = {batch, row, row};
      const gpu::Recipe recipe = halved(problem);
      EXPECT_NO_THROW(check_fit(recipe, problem, {}));
      const gpu::TilePass& pass = recipe.passes[0].pass;
      const gpu::Geometry geometry(pass);
      const gpu::Tables tables(pass);
      const HostLibrary library(emit_kernel(pass, geometry, tables));
      const auto run =
          library.function<void (*)(const void*, void*, const void*, double)>("weft_pass_on_host");
      ASSERT_NE(run, nullptr);
      const Field reals = random_field({batch, n}, false, 5);
      const Field spectrum =
          expected(transform_of(lines(Kind::r2c, Precision::f64, {batch, n})), reals);
      std::vector<double> array(static_cast<std::size_t>(batch * row)), wanted(array.size());
      for (Index b = 0; b < batch; ++b)
        for (Index i = 0; i < row; ++i) {
          const auto at = static_cast<std::size_t>(b * row + i);
          const LongComplex mode = spectrum.values[static_cast<std::size_t>(b * row / 2 + i / 2)];
          const auto part = static_cast<double>(i % 2 == 0 ? mode.real() : mode.imag());
          const double real =
              i < n ? static_cast<double>(reals.values[static_cast<std::size_t>(b * n + i)].real())
                    : 0;
          array[at] = kind == Kind::r2c ? real : part;
          wanted[at] = kind == Kind::r2c ? part : static_cast<double>(n) * real;
        }
      run(array.data(), array.data(), tables.bytes(Precision::f64).data(), 1);
      for (std::size_t i = 0; i < array.size(); ++i)
        if (kind == Kind::r2c || static_cast<Index>(i) % row < n) {
          ASSERT_NEAR(array[i], wanted[i], 1e-11) << n;
        }
    }
}

TEST(GpuHalvedLines, AreAmongTheCandidates) {
  for (const Kind kind : real_kinds) {
    const auto problem = lines(kind, Precision::f32, {4096, 16384});
    const auto recipes = gpu::candidates(problem, {});
    const auto count = std::ranges::count_if(recipes, has_halved);
    EXPECT_GT(count, 4);
    EXPECT_LT(count, static_cast<std::ptrdiff_t>(recipes.size()));
    EXPECT_TRUE(has_halved(recipes.front())) << to_text(recipes.front());
    for (const gpu::Recipe& recipe : gpu::candidates(lines(kind, Precision::f32, {64, 1001}), {}))
      EXPECT_FALSE(has_halved(recipe));
    const gpu::TilePass pass = halved(problem).passes[0].pass;
    EXPECT_DOUBLE_EQ(gpu::bytes_of(pass), 4096.0 * (16384 * 4 + 8193 * 8));
    EXPECT_NE(gpu::explain(recipes.front(), {}).find("16384 reals as 8192 = "), std::string::npos);
  }
}

TEST(GpuHalvedLines, AreRefusedWhereLinesAreNotReal) {
  const auto problem = lines(Kind::r2c, Precision::f32, {3, 60});
  const std::string text = to_text(halved(problem));
  const auto fits = [](const std::string& recipe, const ArrayProblem& to) {
    try {
      check_fit(gpu::parse_recipe(recipe), to, {});
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << error.what();
      return false;
    }
  };
  ASSERT_TRUE(fits(text, problem));
  EXPECT_FALSE(fits(text, lines(Kind::r2c, Precision::f32, {3, 30})));
  EXPECT_FALSE(fits(text, lines(Kind::r2c, Precision::f32, {3, 61})));
  EXPECT_FALSE(fits(text, lines(Kind::c2r, Precision::f32, {3, 60})));
  EXPECT_FALSE(fits(text, contiguous(Kind::c2c, Precision::f32, {3, 60}, {1})));
  const auto without = [&](const std::string& words) {
    std::string changed = text;
    changed.erase(changed.find(words), words.size());
    return changed;
  };
  EXPECT_FALSE(fits(without(" halved"), problem));
  EXPECT_FALSE(fits(without(" real_in"), problem));
  std::string complex =
      to_text(gpu::candidates(contiguous(Kind::c2c, Precision::f32, {3, 60}, {1}), {})[0]);
  complex.insert(complex.find("; loop"), " halved");
  EXPECT_FALSE(fits(complex, contiguous(Kind::c2c, Precision::f32, {3, 60}, {1})));
}

}  // namespace
}  // namespace weft::test
