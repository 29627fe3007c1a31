// SPDX-License-Identifier: BSD-3-Clause
// Operators whose function is inside a pass that is turned around, held in every way.
#include "gpu/choose/candidates.hpp"
#include "gpu/recipe/axis_by_axis.hpp"
#include "gpu/recipe/cost.hpp"
#include "gpu/recipe/operator_recipe.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "gpu/recipe/two_pass.hpp"
#include "operator_cases.hpp"
#include "problem/request.hpp"

namespace weft::test {
namespace {

std::string recipe_of(const Case& c, const gpu::TwoPassOptions& options) {
  const auto problem = problem::check_request(transform_of(c), {}, {}).problem;
  const auto recipe = gpu::two_pass_recipe(problem, options);
  EXPECT_TRUE(recipe.has_value()) << c;
  return recipe ? "fused: " + gpu::to_text(*recipe) : "";
}

/// Three axes in two passes, of which the second is turned around: in one block, and in clusters,
/// through which a tile goes forward and back.
TEST_F(GpuOperator, TurnsATileAroundInACluster) {
  const Case c{Kind::c2c, {2, 16, 32, 24}, {1, 2, 3}, Precision::f32};
  for (const int cluster : {1, 2, 4})
    for (const auto& [by_columns, cuts_far] : {std::pair{false, true}, {true, true}, {true, false}})
      expect_equal_to_cpu(c, uneven(3), cluster == 2,
                          recipe_of(c, {.first_points = 8,
                                        .columns = 8,
                                        .first = {cluster},
                                        .second = {cluster},
                                        .cuts_far = cuts_far,
                                        .by_columns = by_columns}));
}

/// Columns that are left over, axes that are no powers of two, several stages.
TEST_F(GpuOperator, TurnsUnevenTilesAround) {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const Case c{Kind::c2c, {18, 36, 25}, {0, 1, 2}, precision};
    for (const int points : {6, 16})
      expect_equal_to_cpu(
          c, uneven(3), false,
          recipe_of(
              c, {.first_points = 6, .columns = 4, .first = {1, points}, .second = {1, points}}));
  }
}

/// Functions that make of a real field's spectrum one that no real field has: what counts is what
/// c2r makes of it, also where a column is its own mirror.
TEST_F(GpuOperator, TurnsTwoRealPlanesAroundAtOnce) {
  const Case c{Kind::r2c, {2, 16, 32, 20}, {1, 2, 3}, Precision::f64, {3, 1, 2}};
  for (const int cluster : {1, 2})
    for (const bool by_columns : {false, true}) {
      const std::string recipe = recipe_of(c, {.first_points = 8,
                                               .columns = 4,
                                               .second = {cluster, 8},
                                               .pairs = true,
                                               .by_columns = by_columns});
      expect_equal_to_cpu(c, uneven(3), false, recipe);
      expect_equal_to_cpu(c, expression("(i*kx + 0.5*ky + i*kz*kx + 2 + dy)*u0"), true, recipe);
      expect_equal_to_cpu(c, shift({0.1, 0.2, 0.3}), false, recipe);
    }
  expect_multiplied<double>(
      c, recipe_of(c, {.first_points = 8, .columns = 4, .second = {1, 8}, .pairs = true}));
}

/// The cheapest of all recipes, as the estimate takes it.
gpu::OperatorRecipe cheapest(const Case& c, const gpu::FieldCount& fields = {}) {
  const auto problem = problem::check_request(transform_of(c), {}, {}).problem;
  std::optional<gpu::OperatorRecipe> best;
  for (const gpu::Recipe& recipe : gpu::candidates(problem, {})) {
    auto turned = gpu::operator_recipe(recipe, problem, fields);
    if (turned && holds_all_fields(*turned, {}) &&
        (!best || predicted_seconds(*turned, {}) < predicted_seconds(*best, {})))
      best = std::move(turned);
  }
  EXPECT_TRUE(best.has_value()) << c;
  return *best;
}

/// Milliseconds of the fastest operators measured on an H200 (docs/operators.md).
TEST_F(GpuOperator, IsPricedAsItWasMeasured) {
  struct Row {
    Kind kind;
    Precision precision;
    Index n;
    double ms;
  };
  for (const Row& row : {Row{Kind::c2c, Precision::f32, 512, 2.33},
                         {Kind::c2c, Precision::f64, 512, 4.73},
                         {Kind::r2c, Precision::f32, 512, 1.30},
                         {Kind::r2c, Precision::f64, 512, 2.73},
                         {Kind::c2c, Precision::f32, 256, 0.257},
                         {Kind::c2c, Precision::f64, 256, 0.541},
                         {Kind::r2c, Precision::f32, 256, 0.171},
                         {Kind::r2c, Precision::f64, 256, 0.294}}) {
    const Case c{row.kind, {row.n, row.n, row.n}, {}, row.precision};
    EXPECT_NEAR(predicted_seconds(cheapest(c), {}) * 1e3 / row.ms, 1, 0.15) << c;
  }
}

/// A turned pass has more steps than the forward one for the same bytes, and costs its fields.
TEST_F(GpuOperator, IsPricedByItsFieldsAndSteps) {
  const Case c{Kind::c2c, {512, 512, 512}, {}, Precision::f32};
  const gpu::OperatorRecipe one = cheapest(c);
  const gpu::TilePass& pass = one.turned.forward;
  EXPECT_GE(pass.blocks_per_sm, 3);  // with two only as many are at work
  const auto seconds = [&](int inputs, int outputs) {
    return predicted_seconds(gpu::TurnedWork{pass, inputs, outputs}, {});
  };
  EXPECT_GT(seconds(1, 1), 1.4 * predicted_seconds(pass, {}));
  EXPECT_LT(seconds(1, 1), 2 * predicted_seconds(pass, {}));
  EXPECT_GE(seconds(3, 3), 3 * seconds(1, 1) * 0.99);
  EXPECT_LT(seconds(1, 3), seconds(3, 3));
  EXPECT_NEAR(seconds(1, 3), seconds(3, 1), 1e-12);
  EXPECT_DOUBLE_EQ(bytes_of(gpu::TurnedWork{pass, 1, 3}), 2 * bytes_of(pass));
  const gpu::OperatorRecipe three = cheapest(c, {3, 3});
  EXPECT_LE(three.turned.forward.threads * three.turned.forward.blocks_per_sm, 65536 / 144);
}

/// One field c2c takes one pass less than twice the passes of a transform.
TEST_F(GpuOperator, GoesThroughMemoryOnceLessThanItsTransforms) {
  for (const auto& [shape, passes] : std::vector<std::pair<std::vector<Index>, double>>{
           {{30}, 1}, {{4, 30}, 3}, {{12, 10, 9}, 5}}) {
    const cuda::SpectralOperator op(c2c(shape), laplacian());
    EXPECT_EQ(op.passes(), passes) << op.explain();
    const cuda::SpectralOperator real(r2c(shape), laplacian());
    EXPECT_EQ(real.passes(), shape.size() == 1 ? 3 : passes) << real.explain();
  }
  const cuda::SpectralOperator cube(
      c2c({64, 64, 64}, {.precision = Precision::f32}), laplacian(),
      {.recipe = recipe_of({Kind::c2c, {64, 64, 64}, {}, Precision::f32},
                           {.first_points = 8, .columns = 16})});
  EXPECT_EQ(cube.passes(), 3) << cube.explain();
}

TEST_F(GpuOperator, TakesStepsWhereThereIsNoRoomOrNoWay) {
  const cuda::SpectralOperator prime(c2c({2, 101}, {.axes = {1}}), uneven(1));
  EXPECT_TRUE(prime.recipe().starts_with("steps: ")) << prime.recipe();
  expect_equal_to_cpu({Kind::c2c, {2, 101}, {1}}, uneven(1));
  expect_equal_to_cpu({Kind::c2c, {101, 6}}, uneven(2));
}

/// Lines that take two passes each, alone and before another axis.
TEST_F(GpuOperator, TurnsLongLinesAround) {
  const Case line{Kind::c2c, {3 << 16}, {}, Precision::f32};
  expect_equal_to_cpu(line, uneven(1));
  const Case columns{Kind::c2c, {1 << 17, 2}, {0, 1}, Precision::f32};
  expect_equal_to_cpu(columns, uneven(2));
}

/// Real lines as complex ones of half the length go back as they came: in one pass, also of several
/// blocks, and in two.
TEST_F(GpuOperator, GoesBackFromHalvedLines) {
  const Case c{Kind::r2c, {6, 960}, {}, Precision::f32};
  const auto problem = problem::check_request(transform_of(c), {}, {}).problem;
  for (const gpu::LineOptions& options :
       {gpu::LineOptions{.largest_radix = 32, .halved = true},
        {.largest_radix = 16, .block_points = 240, .small_tile = 64, .halved = true},
        {.longest_line = 30, .halved = true}}) {
    const auto recipe = gpu::axis_by_axis(problem, {}, options);
    ASSERT_TRUE(recipe.has_value());
    const std::string text = gpu::to_text(*recipe);
    EXPECT_NE(text.find(" halved"), std::string::npos) << text;
    EXPECT_EQ(text.find(" cluster 2") != std::string::npos, options.block_points == 240) << text;
    expect_equal_to_cpu(c, uneven(2), false, "fused: " + text);
  }
}

TEST_F(GpuOperator, MeasuresAndRemembers) {
  const Transform forward = c2c({8, 12});
  const cuda::SpectralOperator measured(forward, laplacian(),
                                        {.effort = Effort::measure, .time_limit_s = 0.1});
  EXPECT_NE(wisdom::to_string().find("operator c2c f64"), std::string::npos) << wisdom::to_string();
  const cuda::SpectralOperator again(forward, laplacian());
  EXPECT_EQ(again.recipe(), measured.recipe());
}

}  // namespace
}  // namespace weft::test
