// SPDX-License-Identifier: BSD-3-Clause
// The index computations of GPU recipes, and the errors on machines without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "codelet/emit/emit_cuda.hpp"
#include "gpu/choose/candidates.hpp"
#include "gpu/choose/pass_search.hpp"
#include "gpu/choose/tuner.hpp"
#include "gpu/device/compiler.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/device/numbers.hpp"
#include "gpu/emit/emit_kernel.hpp"
#include "gpu/recipe/cost.hpp"
#include "gpu/recipe/line_pass.hpp"
#include "gpu/recipe/packing.hpp"
#include "gpu/recipe/radices.hpp"
#include "gpu/recipe/two_pass.hpp"
#include "local/array/array_fit.hpp"
#include "local/array/array_plan.hpp"
#include "problems.hpp"
#include "weft/cuda.hpp"

namespace weft::test {
namespace {

problem::ArrayProblem cube(Index n, Precision precision) {
  problem::ArrayProblem problem;
  problem.precision = precision;
  problem.scale = 0.5;
  problem.dimensions = {{n, 2 * n * n, 2 * n * n}, {n, 2 * n, 2 * n}, {n, 2, 2}};
  problem.axes = {0, 1, 2};
  return problem;
}

TEST(GpuRadices, MultiplyToTheLengthAndStayBelowTheLimit) {
  for (Index n = 2; n <= 5000; ++n) {
    const std::vector<int> radices = gpu::choose_radices(n, 16);
    Index product = 1, rest = n;
    for (int r : radices) {
      product *= r;
      EXPECT_LE(r, 16);
    }
    for (Index p : {2, 3, 5, 7, 11, 13})
      while (rest % p == 0) rest /= p;
    EXPECT_EQ(product, rest == 1 ? n : 1) << n;  // other prime factors: none
  }
  EXPECT_EQ(gpu::choose_radices(4096, 16), (std::vector<int>{16, 16, 16}));
}

TEST(GpuPacking, FillsStagesAndEndsWithTheClustersDigit) {
  const auto packing = gpu::pack({512, 64}, 32, 4);
  ASSERT_TRUE(packing.has_value());
  EXPECT_EQ(packing->stages.size(), 3u);  // 15 bits, five at a time
  EXPECT_EQ(packing->radices[1].back() % 4, 0);
  EXPECT_FALSE(gpu::pack({512, 9}, 32, 4).has_value());
  EXPECT_FALSE(gpu::pack({34, 4}, 32, 1).has_value());
}

TEST(GpuPacking, LeadsWithTheDigitsAskedFor) {
  const auto in_cluster = gpu::pack_led({8, 512}, 16, 8);
  ASSERT_TRUE(in_cluster.has_value());
  EXPECT_EQ(in_cluster->stages[0], (gpu::ButterflyStage{{1, 0}, {0, 0}}));
  EXPECT_EQ(in_cluster->radices[1].back() % 8, 0);
  EXPECT_FALSE(gpu::pack_led({512, 9}, 16, 2).has_value());
  const auto small = gpu::pack_led({2, 64}, 32, 1);  // one digit of a tile axis per stage
  ASSERT_TRUE(small.has_value());
  for (const gpu::ButterflyStage& stage : small->stages)
    EXPECT_TRUE(stage.size() == 1 || stage[0].tile_axis != stage.back().tile_axis);
}

TEST(GpuGeometry, GivesEveryPointOfABlockItsOwnPlace) {
  const auto recipe =
      gpu::two_pass_recipe(cube(96, Precision::f32),
                           {.first_points = 24, .columns = 8, .first = {2, 32}, .second = {4}});
  ASSERT_TRUE(recipe.has_value());
  for (const gpu::PlacedPass& placed : recipe->passes) {
    const gpu::Geometry geometry(placed.pass);
    std::set<Index> places{0};
    Index points = 1;
    for (const gpu::Digit& digit : geometry.digits()) {
      std::set<Index> more;
      for (Index place : places)
        for (int v = 0; v < digit.local; ++v) more.insert(place + v * digit.shared);
      places = more;
      points *= digit.local;
    }
    EXPECT_EQ(static_cast<Index>(places.size()), points);
    EXPECT_EQ(points * placed.pass.cluster, geometry.points());
    EXPECT_LT(*places.rbegin(), geometry.shared_points());
  }
}

TEST(GpuGeometry, CountsBankConflicts) {
  std::vector<Index> adjacent, same_bank, broadcast(32, 5);
  for (Index lane = 0; lane < 32; ++lane) {
    adjacent.push_back(lane);
    same_bank.push_back(16 * lane);
  }
  EXPECT_EQ(gpu::wavefronts(adjacent, 8), 2);
  EXPECT_EQ(gpu::wavefronts(adjacent, 16), 4);
  EXPECT_EQ(gpu::wavefronts(same_bank, 8), 32);
  EXPECT_EQ(gpu::wavefronts(broadcast, 8), 2);
}

TEST(GpuGeometry, AvoidsBankConflictsOfLines) {
  gpu::LineProblem problem;
  problem.n = 512;
  problem.loops = {{1024, 512, 512}};
  const auto pass = gpu::line_pass(problem, {}, {.largest_radix = 32});
  ASSERT_TRUE(pass.has_value());
  const gpu::Geometry geometry(*pass);
  for (int stage = 0; stage <= geometry.last_stage(); ++stage) {
    std::vector<Index> offsets;
    for (Index lane = 0; lane < 32; ++lane) {
      Index rest = lane, offset = 0;
      for (int d : geometry.order(stage)) {
        offset += rest % geometry.digit(d).local * geometry.digit(d).shared;
        rest /= geometry.digit(d).local;
      }
      offsets.push_back(offset);
    }
    EXPECT_EQ(gpu::wavefronts(offsets, 8), 2) << stage;
  }
}

/// cos (1 + i tan) of every pair is the factor it stands for, where the cosine is nearly zero too.
TEST(GpuTables, HoldTheFactorsOfADigitAsCosineAndTangent) {
  gpu::TilePass pass;
  pass.tile_axes = {{{6, 16, 5}, 1, 1, 0, -1, false, gpu::RealSide::none, {}}};
  pass.stages = {{{0, 0}}, {{0, 1}}, {{0, 2}}};
  const gpu::Tables tables(pass);
  EXPECT_EQ(tables.twist({0, 0}).count, 1);
  EXPECT_FALSE(tables.twist({0, 2}).is_fused);
  const gpu::Twist& twist = tables.twist({0, 1});
  ASSERT_TRUE(twist.is_fused);
  ASSERT_EQ(twist.count, 6);
  const auto pairs = codelet::twist_pairs(16);
  ASSERT_EQ(pairs.size(), 8u);
  for (std::size_t e = 0; e < pairs.size(); ++e)
    for (Index k = 0; k < 6; ++k) {
      const auto entry = tables.values()[static_cast<std::size_t>(twist.start) + e * 6 +
                                         static_cast<std::size_t>(k)];
      const long double turns = static_cast<long double>(pairs[e].power * k) / 96 +
                                static_cast<long double>(pairs[e].turns) / 16;
      const auto wanted = std::polar(1.0L, -2 * std::numbers::pi_v<long double> * turns);
      const std::complex<long double> factor{entry.real(), entry.real() * entry.imag()};
      const bool is_singular = std::abs(wanted.real()) < 1e-6L;
      EXPECT_LT(std::abs(factor - wanted), is_singular ? 1e-9L : 1e-18L) << e << " " << k;
      EXPECT_LT(std::abs(entry.imag()), 0x1p31L);
    }
}

TEST(GpuTables, HoldTheTwiddlesOfASplitAxisInTwoParts) {
  gpu::TilePass pass;
  pass.tile_axes = {{{16, 16}, 1, 1, Index(1) << 20, 0, false, gpu::RealSide::none, {}}};
  pass.loops = {{4096, 256, 1}};
  pass.stages = {{{0, 0}}, {{0, 1}}};
  const gpu::Tables tables(pass);
  const Index fine = tables.fine_count(0);
  ASSERT_GT(fine, 1);
  for (const Index e : {0, 1, 12345, 1048575}) {
    const auto value = tables.values()[static_cast<std::size_t>(tables.coarse(0) + e / fine)] *
                       tables.values()[static_cast<std::size_t>(tables.fine(0) + e % fine)];
    const long double angle =
        -2 * std::numbers::pi_v<long double> * static_cast<long double>(e) / 1048576;
    EXPECT_LT(std::abs(value - std::polar(1.0L, angle)), 1e-18L) << e;
  }
}

TEST(GpuRecipes, MoveALargeCubeTwiceAndPredictIt) {
  const auto recipes = gpu::candidates(cube(512, Precision::f32), {});
  ASSERT_FALSE(recipes.empty());
  EXPECT_EQ(recipes.front().passes.size(), 2u);
  const double array_bytes = 512.0 * 512 * 512 * 8;
  for (const gpu::PlacedPass& placed : recipes.front().passes) {
    EXPECT_DOUBLE_EQ(gpu::bytes_of(placed.pass), 2 * array_bytes);
    EXPECT_GE(gpu::segment_bytes(placed.pass), 64);
  }
  EXPECT_NE(gpu::explain(recipes.front(), {}).find("us predicted"), std::string::npos);
}

/// What the recipe that is expected to be fastest took on an H200, pass by pass.
TEST(GpuRecipes, TakeAsLongAsMeasured) {
  const auto line = [](Index n, Precision precision = Precision::f32) {
    problem::ArrayProblem problem = cube(1, precision);
    problem.dimensions = {{n, 2, 2}};
    problem.axes = {0};
    return problem;
  };
  const std::pair<problem::ArrayProblem, double> measured[] = {
      {cube(256, Precision::f32), 0.164e-3},
      {cube(512, Precision::f32), 1.28e-3},
      {cube(768, Precision::f32), 5.09e-3},
      {cube(1024, Precision::f32), 12.5e-3},
      {cube(512, Precision::f16), 0.792e-3},
      {cube(512, Precision::f64), 2.64e-3},
      {cube(500, Precision::f32), 1.65e-3},
      {cube(729, Precision::f32), 5.70e-3},
      {line(1 << 24), 0.195e-3},
      {line(1 << 26), 0.789e-3},
      {line(1 << 28), 3.50e-3},
      {line(1 << 27, Precision::f64), 3.44e-3}};
  for (const auto& [problem, seconds] : measured) {
    const double expected = gpu::predicted_seconds(gpu::candidates(problem, {}).front(), {});
    EXPECT_NEAR(expected / seconds, 1, 0.08) << to_text(problem);
  }
}

/// A quarter of the multiprocessors, with less shared memory, on slower memory.
TEST(GpuRecipes, AreRankedByTheNumbersOfTheDevice) {
  gpu::DeviceNumbers small;
  small.multiprocessors = 34;
  small.shared_of_multiprocessor = 100 * 1024;
  small.copy_bytes_per_s = 0.4e12;
  const auto recipes = gpu::candidates(cube(128, Precision::f32), {});
  const auto is_ranked = [&](const gpu::DeviceNumbers& numbers) {
    return std::ranges::is_sorted(recipes, {}, [&](const gpu::Recipe& recipe) {
      return gpu::predicted_seconds(recipe, numbers);
    });
  };
  EXPECT_TRUE(is_ranked({}));
  EXPECT_FALSE(is_ranked(small));
  EXPECT_GT(gpu::predicted_seconds(recipes.front(), small),
            4 * gpu::predicted_seconds(recipes.front(), {}));
  EXPECT_NE(gpu::candidates(cube(128, Precision::f32), small).front(), recipes.front());
}

/// What the driver says of an H200 gives the numbers that the model was fitted with.
TEST(GpuDevices, TellTheModelTheirNumbers) {
  gpu::GpuDevice h200;
  h200.major = 9;
  h200.multiprocessors = 132;
  h200.shared_bytes = 227 * 1024;
  h200.multiprocessor_shared_bytes = 228 * 1024;
  h200.multiprocessor_registers = 65536;
  h200.multiprocessor_threads = 2048;
  h200.multiprocessor_blocks = 32;
  h200.memory_bytes_per_s = 2 * 3.201e9 * 6144 / 8;
  const gpu::DeviceNumbers recorded, read = gpu::numbers_of(h200);
  EXPECT_EQ(read.shared_bytes, recorded.shared_bytes);
  EXPECT_EQ(read.largest_cluster, recorded.largest_cluster);
  EXPECT_EQ(read.multiprocessors, recorded.multiprocessors);
  EXPECT_EQ(read.shared_of_multiprocessor, recorded.shared_of_multiprocessor);
  EXPECT_EQ(read.registers, recorded.registers);
  EXPECT_EQ(read.threads, recorded.threads);
  EXPECT_EQ(read.blocks, recorded.blocks);
  EXPECT_NEAR(read.copy_bytes_per_s / recorded.copy_bytes_per_s, 1, 0.01);
  h200.major = 8;
  h200.memory_bytes_per_s = 1e12;
  EXPECT_EQ(gpu::numbers_of(h200).largest_cluster, 1);
  EXPECT_LT(gpu::numbers_of(h200).copy_bytes_per_s, 1e12);
}

TEST(GpuRecipes, TakeALineOfOnePointInNoPairOfAxes) {
  const auto problem = contiguous(Kind::r2c, Precision::f32, {16, 16, 1}, {0, 1, 2});
  EXPECT_FALSE(gpu::two_pass_recipe(problem, {.first_points = 8, .columns = 8}).has_value());
}

TEST(GpuProblems, WithoutAGpuFormAreRefused) {
  auto odd = cube(8, Precision::f32);
  odd.dimensions[0].in = 131;
  EXPECT_THROW(gpu::check_problem(odd), Error);
  auto blocks = cube(8, Precision::f32);
  blocks.dimensions[1].in_blocks = {4, 1024};
  EXPECT_NO_THROW(gpu::check_problem(blocks));
  blocks.dimensions[1].out_blocks = {2, 1024};  // a loop over it would be cut in two ways
  EXPECT_THROW(gpu::check_problem(blocks), Error);
  blocks.axes = {1};
  EXPECT_NO_THROW(gpu::check_problem(blocks));
  blocks.dimensions[1].out_blocks = {3, 1024};
  EXPECT_THROW(gpu::check_problem(blocks), Error);
  auto halved = contiguous(Kind::r2c, Precision::f32, {8, 8}, {0, 1});
  halved.dimensions[1].in_blocks = {4, 64};
  EXPECT_THROW(gpu::check_problem(halved), Error);
}

TEST(GpuProblems, InBlocksAreNotForLocalPlans) {
  auto blocks = cube(8, Precision::f64);
  blocks.dimensions[1].in_blocks = {4, 1024};
  EXPECT_FALSE(local::fits(local::ArrayRecipe{}, blocks));
  try {
    const local::ArrayPlan<double> plan({}, blocks, serial_executor());
    FAIL() << "a plan was made";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("in blocks"), std::string::npos) << error.what();
  }
}

TEST(GpuProblems, AreNamedWithTheirBlocks) {
  auto blocks = cube(8, Precision::f64);
  const std::string plain = to_text(blocks);
  blocks.dimensions[1].in_blocks = {4, 1024};
  EXPECT_NE(to_text(blocks), plain);
  EXPECT_NE(to_text(blocks).find("from blocks 4:1024"), std::string::npos);
}

TEST(GpuRecipes, KeepTheMirrorsOfAlignedRunsAligned) {
  constexpr Index n = 96, run = 8;
  std::set<Index> places;
  for (Index i = 0; i < n; ++i) places.insert(gpu::turned_place(i, n));
  EXPECT_EQ(places.size(), 96u);
  EXPECT_EQ(*places.rbegin(), n - 1);
  for (Index first = 0; first < n / 2; first += run)
    for (Index k = first; k < first + run; ++k) {
      EXPECT_EQ(gpu::turned_place(k, n), k);
      if (k > 0) {
        EXPECT_EQ(gpu::turned_place(n - k, n) / run, (n - 1 - first) / run);
      }
    }
}

TEST(GpuSearch, TriesRecipesOfTwoAndOfThreePasses) {
  const auto recipes = gpu::candidates(cube(512, Precision::f32), {});
  const gpu::PassSearch search(recipes, {});
  std::set<std::size_t> first, counts;
  for (const std::size_t pass : search.next(16)) first.insert(pass);
  EXPECT_GE(first.size(), 16u);
  EXPECT_LE(first.size(), 20u);
  for (std::size_t r = 0; r < recipes.size(); ++r)
    if (std::ranges::all_of(search.passes_of(r), [&](std::size_t p) { return first.contains(p); }))
      counts.insert(recipes[r].passes.size());
  EXPECT_TRUE(counts.contains(2) && counts.contains(3));
}

/// Times that the model knows nothing of: some works and some ways to hold a tile are slower. A
/// tenth of the passes suffices to come close to the best recipe; all of them find it.
TEST(GpuSearch, LearnsWhatTheModelDoesNotKnow) {
  const auto recipes = gpu::candidates(cube(512, Precision::f16), {});
  gpu::PassSearch search(recipes, {});
  const auto true_ms = [&](std::size_t p) {
    const gpu::TilePass& pass = search.placed(p).pass;
    double ms = gpu::predicted_seconds(pass, {}) * 1e3;
    if (pass.threads == 128) ms *= 0.7;
    if (pass.tile_axes.front().n() == 8) ms *= 0.8;
    if (pass.half_shared) ms *= 1.1;
    return pass.threads == 64 ? std::numeric_limits<double>::infinity() : ms;
  };
  const auto recipe_ms = [&](std::size_t r) {
    double ms = 0;
    for (const std::size_t p : search.passes_of(r)) ms += true_ms(p);
    return ms;
  };
  double best = std::numeric_limits<double>::infinity(), found = best;
  for (std::size_t r = 0; r < recipes.size(); ++r) best = std::min(best, recipe_ms(r));
  std::size_t count = 0;
  for (auto next = search.next(16); !next.empty(); next = search.next(16)) {
    for (const std::size_t p : next) search.record(p, true_ms(p));
    count += next.size();
    for (std::size_t r = 0; r < recipes.size(); ++r)
      if (search.is_timed(r)) found = std::min(found, recipe_ms(r));
    if (count >= 64 && count < 80) {
      EXPECT_LT(found, 1.02 * best);
    }
  }
  EXPECT_EQ(found, best);
  EXPECT_LE(count, search.size());
  EXPECT_GT(search.size(), 400u);
}

TEST(GpuTuner, MakesDoWithTheMemoryThereIs) {
  constexpr std::size_t gib = std::size_t(1) << 30, reserve = std::size_t(256) << 20;
  const auto roomy = gpu::tuning_room(4 * gib, 4 * gib, 4 * gib, 12 * gib + reserve);
  ASSERT_TRUE(roomy.has_value());
  EXPECT_TRUE(roomy->has_two_arrays);
  EXPECT_EQ(roomy->workspace, 4 * gib);
  const auto in_one = gpu::tuning_room(4 * gib, 2 * gib, 4 * gib, 9 * gib + reserve);
  ASSERT_TRUE(in_one.has_value());
  EXPECT_FALSE(in_one->has_two_arrays);
  EXPECT_EQ(in_one->workspace, 4 * gib);
  const auto tight = gpu::tuning_room(4 * gib, 4 * gib, 4 * gib, 5 * gib + reserve);
  ASSERT_TRUE(tight.has_value());
  EXPECT_EQ(tight->workspace, gib);
  EXPECT_FALSE(gpu::tuning_room(gib, gib, 0, gib).has_value());
  EXPECT_FALSE(gpu::tuning_room(gib, gib, 0, 0).has_value());
}

TEST(GpuTuner, KnowsHowLargeAnArrayIs) {
  EXPECT_EQ(gpu::array_bytes(cube(8, Precision::f32), false), 8u * 8 * 8 * 8);
  problem::ArrayProblem padded = cube(8, Precision::f64);
  padded.dimensions = {{8, 80, 80}, {8, 10, 10}, {8, 1, 2}};
  padded.kind = Kind::r2c;
  EXPECT_EQ(gpu::array_bytes(padded, false), (7u * 80 + 7 * 10 + 7 + 1) * 8);
  EXPECT_EQ(gpu::array_bytes(padded, true), 8u * 8 * 5 * 16);
}

TEST(GpuCompiler, MakesMachineCodeWithoutAGpu) {
  if (!gpu::has_nvrtc()) GTEST_SKIP() << "no NVRTC on this machine";
  for (const Precision precision : {Precision::f16, Precision::f32, Precision::f64}) {
    const auto recipe = gpu::two_pass_recipe(
        cube(64, precision), {.first_points = 8, .columns = 8, .first = {2, 8}, .second = {2, 8}});
    ASSERT_TRUE(recipe.has_value());
    const gpu::TilePass& pass = recipe->passes.front().pass;
    const auto code =
        gpu::compile_cuda_anew(emit_kernel(pass, gpu::Geometry(pass), gpu::Tables(pass)), 90);
    EXPECT_GT(code.size(), 1000u);
  }
  EXPECT_THROW(gpu::compile_cuda_anew("this is not CUDA", 90), Error);
}

TEST(GpuPlan, SaysThatThereIsNoGpu) {
  if (cuda::is_available()) GTEST_SKIP() << "this machine has one: weft test-gpu tests it";
  try {
    const cuda::Plan plan(c2c({64, 64}, {.precision = Precision::f32}));
    FAIL() << "a plan was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("weft::Plan"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace weft::test
