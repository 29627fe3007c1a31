// SPDX-License-Identifier: BSD-3-Clause
// The steps of an array recipe: text and back, what is refused and why, and every way to cut an
// array computes the same transform.
#include "local/array/array_recipe.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "local/array/array_cut.hpp"
#include "local/array/array_fit.hpp"
#include "local/choose/candidates.hpp"
#include "local/choose/cuts.hpp"
#include "local/choose/planner.hpp"
#include "problem/request.hpp"
#include "unit/local/check.hpp"
#include "weft/error.hpp"

namespace weft::local {
namespace {

using Part = AxisPart::Part;

/// The model's recipe for each axis of a cut.
ArrayRecipe with_axes(const ArrayCut& cut, const ArrayProblem& problem) {
  ArrayRecipe recipe{cut, {}};
  for (const TileTask& tile : tiles_of(problem, cut))
    for (const AxisTask& task : tile.axes) {
      const Setting setting{.precision = arithmetic_precision(problem.precision)};
      recipe.axes.push_back(axis_candidates(task.problem, setting).front());
    }
  return recipe;
}

TEST(ArrayRecipeText, IsReadAsItIsWritten) {
  for (const char* text :
       {"axes 0: scalar:lanes(8,1)",
        "axes 2 1 tiles 0 threads outside: avx512:lines(512); avx2:lanes(8.8.8,2) | axes 0: "
        "avx2:lanes(8.8,16,stream)",
        "axes 1 tiles 0/4 3 threads inside: scalar:lanes(8,1)", "axes 1: avx2:lines(64,ahead)",
        "axes 1: avx2:lines(64,stream)", "axes 1: avx2:four_step(8.8,16,stream)",
        "axes 0: avx2:large(8.8,8.8,2,stream,together)", "axes 0: avx2:large(8.8,8.8,1,together)",
        "split 0 into 32 x 16 | axes 2 0a tiles 0b 1 threads outside: avx2:lanes(8,1); "
        "avx2:lanes(32,1) | axes 0b 1 tiles 0a 2/8 threads outside: avx2:lanes(16,1); "
        "avx2:lanes(8.8,1)"})
    EXPECT_EQ(to_text(parse_array_recipe(text)), text);
}

TEST(ArrayRecipeText, RefusesWhatIsNotARecipe) {
  const std::string axis = "scalar:lanes(8,1)";
  for (const std::string& text :
       {"axes: " + axis, "axes 0 " + axis, "axes 0:" + axis, "axes 0 1: " + axis,
        "axes 0: " + axis + "; " + axis, "axes 0: " + axis + " |", "axes 64: " + axis,
        "axes -1: " + axis, "axes 0c: " + axis, "axes 0 tiles: " + axis, "axes 0 tiles 1: " + axis,
        "axes 0 tiles 1 threads: " + axis, "axes 0 tiles 1/1 threads inside: " + axis,
        "axes 0 threads inside: " + axis, "axes 0 tiles threads inside: " + axis,
        "split 0 into 1 x 8 | axes 0: " + axis, std::string("split 0 into 4 x 2"),
        "split 0 | axes 0: " + axis,
        "split 0 into 281474976710656 x 281474976710656 | axes 0: " + axis})
    EXPECT_THROW(parse_array_recipe(text), Error) << text;
}

struct Refusal {
  const char *recipe, *part_of_reason;
};

void expect_refusals(const Transform& transform, const std::vector<Refusal>& refusals) {
  const ArrayProblem problem = problem::check_request(transform, {}, {}).problem;
  for (const auto& [recipe, part] : refusals) {
    const std::string why = misfit(parse_array_recipe(recipe), problem);
    EXPECT_NE(why.find(part), std::string::npos) << recipe << ": '" << why << "'";
  }
}

TEST(ArrayRecipeFit, SaysWhatDoesNotFit) {
  expect_refusals(
      c2c({6, 4, 8}, {.axes = {0, 2}}),
      {{"axes 2: scalar:lanes(8,1)", "2 axes, the recipe 1"},
       {"axes 2: scalar:lanes(8,1) | axes 1: scalar:lanes(4,1)", "no axis 1"},
       {"axes 2: scalar:lanes(8,1) | axes 3: scalar:lanes(4,1)", "no axis 3"},
       {"axes 2: scalar:lanes(8,1) | axes 2: scalar:lanes(8,1)", "twice"},
       {"axes 2: scalar:lanes(8,1) | axes 0a: scalar:lanes(6,1)", "no axis 0a"},
       {"axes 2: scalar:lanes(8,1) | axes 0: scalar:lanes(8,1)", "cannot do axis 0, 6 points"},
       {"axes 2 tiles 2 threads inside: scalar:lanes(8,1) | axes 0: scalar:lanes(6,1)",
        "transformed and looped over"},
       {"axes 2 tiles 1 1 threads inside: scalar:lanes(8,1) | axes 0: scalar:lanes(6,1)", "twice"},
       {"axes 2 tiles 7 threads inside: scalar:lanes(8,1) | axes 0: scalar:lanes(6,1)",
        "no dimension 7"},
       {"axes 2 tiles 1/3 threads inside: scalar:lanes(8,1) | axes 0: scalar:lanes(6,1)",
        "tiles of 3"},
       {"split 1 into 2 x 2 | axes 2: scalar:lanes(8,1) | axes 0: scalar:lanes(6,1)",
        "not transformed"},
       {"split 2 into 2 x 2 | axes 2a: scalar:lanes(2,1) | axes 2b 0: scalar:lanes(2,1); "
        "scalar:lanes(6,1)",
        "cannot be split into 2 x 2"},
       {"split 2 into 2 x 4 | axes 2a: scalar:lanes(2,1) | axes 2b 0: scalar:lanes(4,1); "
        "scalar:lanes(6,1)",
        "a tile for each index of part b"},
       {"split 2 into 2 x 4 | axes 2b: scalar:lanes(4,1) | axes 2a 0 tiles 2b threads inside: "
        "scalar:lanes(2,1); scalar:lanes(6,1)",
        "comes before the first"}});
  expect_refusals(r2c({6, 8}), {{"axes 0: scalar:lanes(6,1) | axes 1: scalar:lanes(4,1)",
                                 "begin with its real axis 1"}});
  expect_refusals(
      c2r({6, 8}),
      {{"axes 1: scalar:lanes(4,1) | axes 0: scalar:lanes(6,1)", "end with its real axis 1"},
       {"split 1 into 2 x 4 | axes 0: scalar:lanes(6,1) | axes 1a tiles "
        "1b threads inside: scalar:lanes(2,1) | axes 1b: scalar:lanes(4,1)",
        "only complex"}});
  expect_refusals(c2c({4096, 2}, {.axes = {0}}),
                  {{"axes 0 tiles 1 threads outside: scalar:large(8.8,8.8,1,together)",
                    "all threads on one line"}});
}

/// All cuts that choice considers, over kinds, precisions, layouts and threads.
TEST(ArrayCuts, AllComputeTheSameTransform) {
  const std::vector<std::vector<Index>> shapes = {{12, 10}, {6, 5, 9}, {16, 12, 8}, {3, 4, 5, 6}};
  std::uint64_t seed = 1;
  std::size_t most = 0;
  for (const auto& shape : shapes)
    for (Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r, Kind::r2r})
      for (Precision precision : {Precision::f16, Precision::f32, Precision::f64}) {
        const int threads = static_cast<int>(1 + seed % 2);
        const TransformOptions with{.normalization = Normalization::ortho, .precision = precision};
        const Transform transform = kind == Kind::c2c   ? c2c(shape, with)
                                    : kind == Kind::r2c ? r2c(shape, with)
                                    : kind == Kind::c2r ? c2r(shape, with)
                                                        : r2r(shape, {R2r::dct4}, with);
        const ArrayProblem problem = problem::check_request(transform, {}, {}).problem;
        const auto cuts = candidate_cuts(problem, threads);
        most = std::max(most, cuts.size());
        for (const ArrayCut& cut : cuts)
          test::expect_close(
              transform, seed++,
              {.plan = {.threads = threads, .recipe = to_text(with_axes(cut, problem))}});
        if (::testing::Test::HasFailure()) return;
      }
  EXPECT_GT(most, 4u);
}

/// A split axis of uneven parts, anywhere in the array, forward and backward, in and out of place.
TEST(ArrayCuts, MaySplitAnAxis) {
  struct Case {
    std::vector<Index> shape;
    Split split;
    std::vector<StepCut> steps;
  };
  const AxisPart a{0, Part::first}, b{0, Part::second};
  const std::vector<Case> cases = {
      {{12, 5, 16}, {0, 4, 3}, {{{{2}, a}, {{b}, {{1}}}, true}, {{b, {1}}, {{a}, {{2}, 4}}, true}}},
      {{15, 7, 12},
       {0, 5, 3},
       {{{{2}, a}, {{{1}}, {b}}, false}, {{b, {1}}, {{{2}, 2}, {a}}, false}}},
      {{14, 3, 9},
       {0, 2, 7},
       {{{a}, {{b}}, true}, {{b}, {}, false}, {{{1}}, {}, false}, {{{2}}, {}, false}}},
      {{3, 20, 17},
       {1, 4, 5},
       {{{{1, Part::first}, {2}}, {{{0}}, {{1, Part::second}}}, true},
        {{{0}, {1, Part::second}}, {{{1, Part::first}}}, false}}},
      {{6, 4, 18},
       {2, 9, 2},
       {{{{0}}, {}, false},
        {{{2, Part::first}}, {{{2, Part::second}}}, true},
        {{{1}, {2, Part::second}}, {{{0}, 3}}, true}}}};
  std::uint64_t seed = 1;
  for (const Case& c : cases)
    for (Precision precision : {Precision::f32, Precision::f64})
      for (Direction direction : {Direction::forward, Direction::backward})
        for (bool in_place : {false, true}) {
          const Transform transform = c2c(c.shape, {.direction = direction,
                                                    .normalization = Normalization::ortho,
                                                    .precision = precision});
          const Index row = c.shape[2] + 3, plane = c.shape[1] * row + 1;
          const Layout padded{{plane, row, 1}};
          const ArrayProblem problem = problem::check_request(transform, padded, padded).problem;
          const ArrayCut cut{c.split, c.steps};
          ASSERT_EQ(misfit(cut, problem), "");
          const std::string recipe = to_text(with_axes(cut, problem));
          test::expect_close(transform, seed,
                             {.input = padded,
                              .output = padded,
                              .in_place = in_place,
                              .plan = {.threads = 2, .recipe = recipe}});
          const Layout columns{{1, c.shape[0], c.shape[0] * c.shape[1]}};
          const ArrayProblem turned = problem::check_request(transform, {}, columns).problem;
          test::expect_close(
              transform, seed++,
              {.output = columns, .plan = {.recipe = to_text(with_axes(cut, turned))}});
        }
}

TEST(ArrayCuts, OfACubeBeyondTheCachesIncludeTheSplit) {
  const ArrayProblem problem = problem::check_request(c2c({256, 256, 256}), {}, {}).problem;
  const auto cuts = candidate_cuts(problem, 1);
  EXPECT_GT(std::ranges::count_if(cuts, [](const ArrayCut& cut) { return cut.split.has_value(); }),
            0);
  EXPECT_EQ(cuts.front(), fused_cut(problem, 1));
  for (const ArrayCut& cut : cuts) EXPECT_EQ(misfit(cut, problem), "");
}

/// Two sweeps whatever the size, also of real transforms and of more axes.
TEST(ArrayCuts, OfRealArraysAndOfMoreAxesIncludeTheSplit) {
  for (const Transform& transform :
       {r2c({24, 16, 64}, {.precision = Precision::f32}), c2r({24, 16, 64}), r2c({16, 24, 30}),
        c2r({16, 9, 30}, {.precision = Precision::f32}), c2c({12, 5, 6, 16}), r2c({6, 5, 4, 14}),
        c2r({6, 4, 5, 30}), c2c({3, 16, 8, 8}, {.axes = {1, 2, 3}})}) {
    const ArrayProblem problem = problem::check_request(transform, {}, {}).problem;
    int splits = 0;
    for (const ArrayCut& cut : candidate_cuts(problem, 2)) {
      if (!cut.split) continue;
      ++splits;
      ASSERT_EQ(misfit(cut, problem), "");
      EXPECT_EQ(cut.steps.size(), 2u);
      test::expect_close(transform, 5,
                         {.plan = {.threads = 2, .recipe = to_text(with_axes(cut, problem))}});
    }
    EXPECT_GT(splits, 0) << problem::to_text(problem);
  }
}

/// Made-up cuts: each is refused, or it computes the transform.
TEST(ArrayCuts, ThatAreAcceptedComputeTheTransform) {
  int accepted = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    test::Random random(seed);
    const auto pick = [&](Index count) { return static_cast<int>(random.between(0, count - 1)); };
    const std::vector<Index> shape{6, 4, pick(2) == 0 ? 5 : 8};
    const Kind kind = pick(3) == 0 ? Kind::r2c : pick(3) == 0 ? Kind::c2r : Kind::c2c;
    Transform transform = kind == Kind::r2c   ? r2c(shape)
                          : kind == Kind::c2r ? c2r(shape)
                                              : c2c(shape);
    if (pick(3) == 0) transform.axes = {0, 2};
    const ArrayProblem problem = problem::check_request(transform, {}, {}).problem;
    ArrayCut cut;
    if (pick(3) == 0) cut.split = Split{0, 2 + pick(2), 3 - pick(2)};
    const auto any_part = [&] {
      const int dimension = pick(3);
      const bool is_split = cut.split && dimension == 0;
      return AxisPart{dimension,
                      is_split ? (pick(2) == 0 ? Part::first : Part::second) : Part::whole};
    };
    const auto is_transformed = [&](const AxisPart& axis) {
      return std::ranges::find(problem.axes, axis.dimension) != problem.axes.end();
    };
    std::vector<AxisPart> order;
    for (int tries = 0; tries < 12; ++tries)
      if (const AxisPart axis = any_part();
          (std::ranges::find(order, axis) == order.end() && is_transformed(axis)) || pick(50) == 0)
        order.push_back(axis);
    for (const AxisPart& axis : order) {
      if (cut.steps.empty() || pick(2) == 0) cut.steps.emplace_back();
      cut.steps.back().axes.push_back(axis);
    }
    for (StepCut& step : cut.steps) {
      while (pick(2) == 0) step.tiles.push_back({any_part(), 1 + pick(2)});
      step.threads_outside = pick(2) == 0 && !step.tiles.empty();
    }
    if (!misfit(cut, problem).empty()) {
      ++refused;
      continue;
    }
    ++accepted;
    test::expect_close(
        transform, seed,
        {.plan = {.threads = 1 + pick(2), .recipe = to_text(with_axes(cut, problem))}});
    if (HasFailure()) return;
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 100);
}

/// The cut is chosen by time: whatever wins is a recipe of the problem.
TEST(ArrayCuts, AreTimedByMeasureAndPatient) {
  for (Effort effort : {Effort::measure, Effort::patient})
    for (const Transform& transform : {c2c({12, 10, 9}), r2c({8, 6, 10}), c2r({7, 20})}) {
      const ArrayProblem problem = problem::check_request(transform, {}, {}).problem;
      const ArrayRecipe recipe = choose_recipe(problem, {.effort = effort,
                                                         .time_limit_s = 0.2,
                                                         .executor = thread_executor(2),
                                                         .use_wisdom = false});
      EXPECT_EQ(misfit(recipe, problem), "");
      test::expect_close(transform, 5, {.plan = {.threads = 2, .recipe = to_text(recipe)}});
    }
}

}  // namespace
}  // namespace weft::local
