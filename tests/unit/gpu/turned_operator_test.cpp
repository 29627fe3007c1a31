// SPDX-License-Identifier: BSD-3-Clause
// Operators whose function is inside a pass that is turned around, held in every way.
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
