// SPDX-License-Identifier: BSD-3-Clause
// The formula of a plan is its transform: the matrix of the formula, applied to an array, gives the
// same as the definition.
#include <gtest/gtest.h>

#include "formula/matrix.hpp"
#include "formula/print.hpp"
#include "local/array/array_recipe.hpp"
#include "local/array/array_report.hpp"
#include "local/choose/planner.hpp"
#include "problem/request.hpp"
#include "support/oracle.hpp"
#include "weft/plan.hpp"

namespace weft::local {
namespace {

/// A contiguous array, as Plan asks for it.
ArrayProblem contiguous_problem(const Transform& transform) {
  ArrayProblem problem;
  problem.kind = transform.kind;
  problem.direction = transform.direction;
  problem.axes = transform.axes;
  problem.r2r = transform.r2r;
  for (Index n : transform.shape) problem.dimensions.push_back({n, 0, 0});
  Index in = problem.in_width(), out = problem.out_width();
  for (std::size_t d = transform.shape.size(); d-- > 0;) {
    problem.dimensions[d].in = in;
    problem.dimensions[d].out = out;
    in *= problem.in_extent(static_cast<int>(d));
    out *= problem.out_extent(static_cast<int>(d));
  }
  return problem;
}

void expect_formula_is(const Transform& transform, const std::string& text = {}) {
  const ArrayProblem problem = contiguous_problem(transform);
  const ArrayRecipe recipe =
      choose_recipe(problem, {.executor = serial_executor(), .recipe = text});
  const formula::Formula formula = formula_of(recipe, problem);
  std::vector<Index> in_shape;
  for (int d = 0; d < static_cast<int>(transform.shape.size()); ++d)
    in_shape.push_back(problem.in_extent(d));
  const test::Field input = test::random_field(in_shape, problem.in_width() == 2, 17);
  const test::Field wanted = test::expected(transform, input);
  test::Field got = wanted;
  got.values = formula::multiply(formula, input.values);
  if (transform.kind == Kind::c2r)
    for (auto& value : got.values) value = value.real();
  ASSERT_EQ(got.values.size(), wanted.values.size());
  EXPECT_LT(test::relative_error(got, wanted), 1e-15)
      << ::testing::PrintToString(transform.shape) << " axes "
      << ::testing::PrintToString(transform.axes) << ": " << formula::print(formula);
}

TEST(FormulaOfAPlan, WithASplitAxisIsTheTransform) {
  for (Direction direction : {Direction::forward, Direction::backward})
    expect_formula_is(c2c({6, 2, 3}, {.axes = {0, 1, 2}, .direction = direction}),
                      "split 0 into 3 x 2 | axes 2 0a tiles 0b threads inside: scalar:lanes(3,1); "
                      "scalar:lanes(3,1) | axes 0b 1: scalar:lanes(2,1); scalar:lanes(2,1)");
}

TEST(FormulaOfAPlan, IsTheTransform) {
  for (const auto& [shape, axes] :
       std::vector<std::pair<std::vector<Index>, std::vector<int>>>{{{1}, {0}},
                                                                    {{16}, {0}},
                                                                    {{15}, {0}},
                                                                    {{6, 8}, {0, 1}},
                                                                    {{8, 6}, {1, 0}},
                                                                    {{5, 9}, {0, 1}},
                                                                    {{7, 4}, {0}},
                                                                    {{4, 7}, {1}},
                                                                    {{3, 4, 5}, {0, 1, 2}},
                                                                    {{4, 3, 6}, {0, 2}},
                                                                    {{5, 3, 4}, {2, 0}},
                                                                    {{2, 3, 4, 5}, {0, 1, 2, 3}},
                                                                    {{3, 2, 5, 4}, {1, 3}}}) {
    for (Direction direction : {Direction::forward, Direction::backward})
      expect_formula_is(c2c(shape, {.axes = axes, .direction = direction}));
    expect_formula_is(r2c(shape, {.axes = axes}));
    expect_formula_is(c2r(shape, {.axes = axes}));
    for (R2r kind : {R2r::dct2, R2r::dct4, R2r::dst1, R2r::dht, R2r::r2hc, R2r::hc2r})
      expect_formula_is(r2r(shape, std::vector<R2r>(axes.size(), kind), {.axes = axes}));
  }
}

TEST(FormulaOfAPlan, HasWhatIsPaddedCroppedAndOrthogonalized) {
  const auto expect_plans_formula_is = [](const Transform& asked) {
    const auto request = problem::check_request(asked, {}, {});
    const Transform& transform = request.transform;
    const ArrayProblem& problem = request.problem;
    const ArrayRecipe recipe = choose_recipe(problem, {.executor = serial_executor()});
    const formula::Formula formula = formula_of(recipe, problem);
    std::vector<Index> in_shape;
    for (int d = 0; d < static_cast<int>(transform.shape.size()); ++d)
      in_shape.push_back(problem.in_extent(d));
    const test::Field input = test::random_field(in_shape, problem.in_width() == 2, 17);
    const test::Field wanted = test::expected(transform, input);
    test::Field got = wanted;
    got.values = formula::multiply(formula, input.values);
    if (transform.kind == Kind::c2r)
      for (auto& value : got.values) value = value.real();
    ASSERT_EQ(got.values.size(), wanted.values.size());
    EXPECT_LT(test::relative_error(got, wanted), 1e-15) << formula::print(formula);
  };
  for (const Modes modes : {Modes::first, Modes::around_zero})
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      expect_plans_formula_is(c2c({6, 7}, {.direction = direction,
                                           .input_extents = {4, 5},
                                           .output_extents = {5, 2},
                                           .modes = modes}));
      expect_plans_formula_is(
          r2c({6, 7}, {.input_extents = {4, 5}, .output_extents = {5, 2}, .modes = modes}));
      expect_plans_formula_is(
          c2r({6, 7}, {.input_extents = {4, 2}, .output_extents = {5, 3}, .modes = modes}));
    }
  for (const R2r kind :
       {R2r::dct1, R2r::dct2, R2r::dct3, R2r::dct4, R2r::dst1, R2r::dst2, R2r::dst3})
    expect_plans_formula_is(r2r({5, 6}, {kind}, {.orthogonalize = true}));
  expect_plans_formula_is(c2c({5, 6}, {.empty_axes = EmptyAxes::none}));
}

/// Also of arrays that nobody could write down as a matrix.
TEST(FormulaOfAPlan, IsShortHoweverLongTheTransform) {
  for (const Transform& transform : {r2c({1 << 15, 1 << 15}), c2r({1 << 10, 1 << 10, 1 << 10}),
                                     c2c({Index(1) << 28}, {.direction = Direction::backward})}) {
    const Plan plan(transform);
    EXPECT_LT(plan.formula().size(), 400u) << plan.formula();
    EXPECT_LT(plan.formula_latex().size(), 1200u) << plan.formula_latex();
  }
}

}  // namespace
}  // namespace weft::local
