// SPDX-License-Identifier: BSD-3-Clause
// Every candidate of DCTs and DSTs, and of lengths with prime factors from 17 to 127, on every
// instruction set, compared with the long double reference: rows and columns, full and partly
// filled registers.
#include <gtest/gtest.h>

#include <set>

#include "codelet/prime/prime_kernels.hpp"
#include "codelet/runtime/isa.hpp"
#include "local/array/array_fit.hpp"
#include "local/axis/axis_fit.hpp"
#include "local/choose/candidates.hpp"
#include "support/oracle.hpp"
#include "support/run_plan.hpp"

namespace weft::local {
namespace {

AxisRecipe on_isa(AxisRecipe recipe, codelet::Isa isa) {
  recipe.isa = isa;
  for (AxisRecipe& inner : recipe.inner) inner = on_isa(inner, isa);
  return recipe;
}

/// Rows or columns of a batch as one axis.
AxisProblem axis_of(const Transform& transform) {
  const bool rows = transform.axes[0] == 1;
  const Index batch = transform.shape[rows ? 0 : 1], n = transform.shape[rows ? 1 : 0];
  const Index in = transform.kind == Kind::r2c || transform.kind == Kind::r2r ? 1 : 2;
  const Index out = transform.kind == Kind::c2r || transform.kind == Kind::r2r ? 1 : 2;
  AxisProblem problem{
      .kind = transform.kind, .n = n, .loops = {}, .direction = transform.direction};
  if (transform.kind == Kind::r2r) problem.r2r = transform.r2r[0];
  const Index in_rows = problem.in_rows(), out_rows = problem.out_rows();
  problem.in_row = rows ? in : in * batch;
  problem.out_row = rows ? out : out * batch;
  problem.loops = {{batch, rows ? in * in_rows : in, rows ? out * out_rows : out}};
  problem.orthogonalize = transform.orthogonalize;
  return problem;
}

/// Runs them all; the recipes as text.
std::string check_recipes(const Transform& transform) {
  const AxisProblem problem = axis_of(transform);
  std::vector<Index> shape = transform.shape;
  shape[static_cast<std::size_t>(transform.axes[0])] = problem.in_rows();
  const bool is_complex = transform.kind == Kind::c2c || transform.kind == Kind::c2r;
  const test::Field input =
      test::rounded(test::random_field(shape, is_complex, 5), transform.precision);
  const test::Field wanted = test::expected(transform, input);
  std::set<std::string> seen;
  for (const AxisRecipe& candidate : axis_candidates(problem, {.precision = transform.precision}))
    for (codelet::Isa isa : codelet::available_isas()) {
      const AxisRecipe recipe = on_isa(candidate, isa);
      const std::string text = "axes " + std::to_string(transform.axes[0]) + ": " + to_text(recipe);
      if (!fits(recipe, problem, transform.precision) || !seen.insert(text).second) continue;
      const test::RunResult result = test::run_plan(transform, input, {.plan = {.recipe = text}});
      EXPECT_LT(test::relative_error(result.output, wanted),
                test::tolerance(transform.precision, problem.n))
          << text << ", " << problem.n << " points, kind " << static_cast<int>(transform.kind)
          << ", r2r " << static_cast<int>(problem.r2r);
      EXPECT_TRUE(result.input_kept && result.guards_intact) << text;
    }
  std::string all;
  for (const std::string& text : seen) all += text + " ";
  return all;
}

class EveryRecipe : public ::testing::TestWithParam<Precision> {};

TEST_P(EveryRecipe, OfCosineAndSineTransforms) {
  constexpr R2r kinds[] = {R2r::dct1, R2r::dct2, R2r::dct3, R2r::dct4,
                           R2r::dst1, R2r::dst2, R2r::dst3, R2r::dst4};
  std::string seen;
  for (R2r kind : kinds)
    for (Index n : {2, 3, 4, 6, 17, 26, 32, 51, 60, 64, 130, 200, 257})
      for (int axis : {0, 1})
        for (bool orthogonalize : {false, true}) {
          const Index batch = n < 64 ? 19 : 3;
          seen +=
              check_recipes(r2r(axis == 1 ? std::vector{batch, n} : std::vector{n, batch}, {kind},
                                {.axes = {axis},
                                 .normalization = Normalization::ortho,
                                 .precision = GetParam(),
                                 .orthogonalize = orthogonalize}));
        }
  EXPECT_NE(seen.find("four_step("), std::string::npos);
  EXPECT_NE(seen.find("lanes("), std::string::npos);
  if (codelet::best_isa() != codelet::Isa::scalar) {
    EXPECT_NE(seen.find("lines("), std::string::npos);
  }
}

TEST_P(EveryRecipe, OfLengthsWithPrimeFactorsTo127) {
  std::string seen;
  for (Index p : codelet::prime_radices())
    for (Index n : {p, (p % 4 == 1 ? 2 : 3) * p}) {
      const TransformOptions rows{.axes = {1}, .precision = GetParam()};
      const TransformOptions columns{.axes = {0}, .precision = GetParam()};
      seen += check_recipes(c2c({3, n}, rows));
      seen += check_recipes(r2c({3, n}, rows));
      seen += check_recipes(c2r({3, n}, rows));
      seen += check_recipes(c2r({n, 9}, columns));
      for (R2r kind : {R2r::dct2, R2r::dst4, R2r::dct1, R2r::dht, R2r::r2hc, R2r::hc2r})
        seen += check_recipes(r2r({2, n}, {kind}, rows));
    }
  for (Index n : {17 * 19, 19 * 32, 23 * 29, 31 * 37}) {
    seen += check_recipes(c2c({n, 9}, {.axes = {0},
                                       .direction = Direction::backward,
                                       .normalization = Normalization::backward,
                                       .precision = GetParam()}));
    seen += check_recipes(r2c({9, n}, {.axes = {1}, .precision = GetParam()}));
  }
  for (const char* type : {"lanes(17,", "lanes(127,", "rader(127,", ",17)"})
    EXPECT_NE(seen.find(type), std::string::npos) << type;
}

TEST_P(EveryRecipe, OfLengthsThatFillNoRegister) {
  std::string seen;
  for (Index n : {7 * 49, 13 * 77, 14 * 24, 15 * 24, 27 * 16, 27 * 27, 9 * 27 * 27}) {
    seen += check_recipes(c2c({2, n}, {.axes = {1},
                                       .direction = Direction::backward,
                                       .normalization = Normalization::backward,
                                       .precision = GetParam()}));
    seen += check_recipes(r2c({2, 2 * n}, {.axes = {1}, .precision = GetParam()}));
    seen += check_recipes(c2r({2, 2 * n}, {.axes = {1}, .precision = GetParam()}));
  }
  if (codelet::best_isa() == codelet::Isa::avx512) {
    EXPECT_NE(seen.find(GetParam() == Precision::f32 ? ",15)" : ",7)"), std::string::npos);
    EXPECT_NE(seen.find("27,27)"), std::string::npos);
  }
}

TEST_P(EveryRecipe, OfLongRealLinesOfOddLength) {
  std::string seen;
  for (Index n : {15 * 75, 9 * 81, 5 * 125, 7 * 147, 3 * 289, 17 * 289})
    for (Index batch : {1, 3}) {
      seen += check_recipes(
          r2c({batch, n},
              {.axes = {1}, .normalization = Normalization::forward, .precision = GetParam()}));
      seen += check_recipes(
          c2r({batch, n},
              {.axes = {1}, .normalization = Normalization::backward, .precision = GetParam()}));
    }
  EXPECT_NE(seen.find("real_split("), std::string::npos);
}

TEST_P(EveryRecipe, OfRealLinesOfPrimeLength) {
  std::string seen;
  for (Index n : {257, 509, 577, 1019})  // n - 1 with small factors, and with large ones
    for (Index batch : {1, 3}) {
      seen += check_recipes(
          r2c({batch, n},
              {.axes = {1}, .normalization = Normalization::forward, .precision = GetParam()}));
      seen += check_recipes(
          c2r({batch, n},
              {.axes = {1}, .normalization = Normalization::backward, .precision = GetParam()}));
      for (R2r kind : {R2r::dct2, R2r::dst3})
        seen += check_recipes(r2r({batch, n}, {kind}, {.axes = {1}, .precision = GetParam()}));
    }
  EXPECT_NE(seen.find("real_rader(257"), std::string::npos);
  EXPECT_NE(seen.find("real_rader(1019"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Precisions, EveryRecipe, ::testing::Values(Precision::f32, Precision::f64),
                         [](const auto& info) {
                           return info.param == Precision::f32 ? "f32" : "f64";
                         });

}  // namespace
}  // namespace weft::local
