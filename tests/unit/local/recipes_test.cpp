// SPDX-License-Identifier: BSD-3-Clause
// Recipes can be written as text and read back; all candidates of a problem compute the same
// transform.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/buffer.hpp"
#include "codelet/runtime/isa.hpp"
#include "codelet/runtime/names.hpp"
#include "formula/matrix.hpp"
#include "local/array/array_fit.hpp"
#include "local/array/array_plan.hpp"
#include "local/array/array_report.hpp"
#include "local/axis/axis_fit.hpp"
#include "local/choose/candidates.hpp"
#include "local/choose/cuts.hpp"
#include "local/lane/lane_ops.hpp"
#include "support/oracle.hpp"

namespace weft::local {
namespace {

TEST(RecipeText, ReadsBackEveryCandidate) {
  for (Index n : {1, 2, 13, 17, 64, 97, 360, 1009, 2018, 4096, 65536, 65537})
    for (Index batch : {1, 64}) {
      const AxisProblem problem{
          .n = n, .in_row = 2, .out_row = 2, .loops = {{batch, 2 * n, 2 * n}}};
      const auto candidates = axis_candidates(problem, {.precision = Precision::f64});
      ASSERT_FALSE(candidates.empty()) << n;
      for (const AxisRecipe& recipe : candidates) {
        const std::string text = to_text(recipe);
        std::string_view rest = text;
        EXPECT_EQ(parse_axis_recipe(rest), recipe) << text;
        EXPECT_TRUE(rest.empty()) << text;
        const ArrayRecipe array =
            parse_array_recipe("axes 1 tiles 0 threads outside: " + text + " | axes 0: " + text);
        ASSERT_EQ(array.axes.size(), 2u);
        EXPECT_EQ(parse_array_recipe(to_text(array)), array);
      }
    }
}

TEST(RecipeText, RefusesWhatIsNotARecipe) {
  for (const char* text :
       {"", "axes", "axes x: avx2:lanes(8,1)", "axes 0: avx9:lanes(8,1)", "axes 0: avx2:lanes(8",
        "axes 0: avx2:lanes(0,1)", "axes 0: avx2:lanes(8.,1)",
        "axes 0: line_rader(7,avx2:lanes(5,1))", "axes 0: avx2:lanes(8,1) and more",
        "axes 0: avx2:lanes(8,1);", "axes 0: avx2:lanes(9999,1)", "axes 0: avx2:lanes(8,9999)",
        "axes 99999999999999999999: avx2:lanes(8,1)", "axes 0: avx2:lanes(split(1,8),1)",
        "axes 0: avx2:lines(9223372036854775807)", "axes 0: real_rader(11,avx2:lanes(6,1))",
        "axes 0: line_bluestein(9223372036854775807,avx2:lanes(8,1))"})
    EXPECT_THROW(parse_array_recipe(text), Error) << text;
}

/// Neither the stack nor arithmetic runs over.
TEST(RecipeText, RefusesWhatHasNoEnd) {
  const auto repeated = [](const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  for (int times : {100, 200000})
    for (const char* opening : {"split(2,", "rader(3,", "bluestein(1,", "64.", "4096."})
      EXPECT_THROW(parse_array_recipe("axes 0: avx2:lanes(" + repeated(opening, times) + "2,1)"),
                   Error)
          << opening;
  EXPECT_THROW(parse_array_recipe("axes 0: " + repeated("line_bluestein(1,", 200000)), Error);
  EXPECT_THROW(parse_array_recipe("axes 0:" + repeated(" avx2:lanes(8,1);", 200000)), Error);
  EXPECT_THROW(parse_array_recipe("axes 0: avx2:large(4096.4096.4096.2,4096.4096.4096.2,1)"),
               Error);
}

/// Another build may have the kernel, another CPU the instruction set.
TEST(RecipeText, DoesNotDependOnTheMachine) {
  for (const char* text : {"axes 0: avx2:lines(17)", "axes 0: neon:lanes(8.8,4)",
                           "axes 0: avx512:lanes(17.128,16)", "axes 0: scalar:real_kernel(77)"})
    EXPECT_EQ(to_text(parse_array_recipe(text)), text);
}

TEST(Formula, OfARecipeIsTheDft) {
  for (Index n : {4, 12, 32, 60, 64})
    for (const LaneRecipe& recipe : lane_candidates(n, codelet::best_isa(), Precision::f64))
      EXPECT_LT(formula::max_difference(formula::matrix_of(formula_of(recipe)),
                                        formula::matrix_of(formula::dft(n))),
                1e-15L * n)
          << to_text(recipe);
  const AxisRecipe matrix =
      axis_four_step(codelet::best_isa(), lane_passes({4, 2}), lane_passes({8}));
  EXPECT_LT(formula::max_difference(formula::matrix_of(formula_of(matrix)),
                                    formula::matrix_of(formula::dft(64))),
            1e-16L * 64);
}

/// Runs one recipe over a batch of rows and compares with the oracle.
template <class Real>
double error_of(const AxisRecipe& recipe, Index n, Index batch, Direction direction, double scale) {
  ArrayProblem problem;
  problem.precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;
  problem.direction = direction;
  problem.scale = scale;
  problem.dimensions = {{batch, 2 * n, 2 * n}, {n, 2, 2}};
  problem.axes = {1};
  const ArrayPlan<Real> plan({unfused_cut(problem), {recipe}}, problem, serial_executor());
  Buffer<std::complex<Real>> in(n * batch), out(n * batch);
  Buffer<char> workspace(static_cast<Index>(plan.workspace_bytes()));
  // Poisoned: a kernel that reads what nobody wrote cannot pass.
  std::fill_n(workspace.data(), plan.workspace_bytes(), char(0xff));
  test::Field x = test::random_field({batch, n}, true, static_cast<std::uint64_t>(n));
  for (Index i = 0; i < n * batch; ++i) {
    in[i] = {static_cast<Real>(x.values[static_cast<std::size_t>(i)].real()),
             static_cast<Real>(x.values[static_cast<std::size_t>(i)].imag())};
    x.values[static_cast<std::size_t>(i)] = {in[i].real(), in[i].imag()};
  }
  plan.execute(in.data(), out.data(), workspace.data());
  Transform transform = c2c({batch, n}, {.axes = {1}, .direction = direction});
  test::Field y = test::expected(transform, x), actual({batch, n});
  for (auto& v : y.values) v *= scale;
  for (Index i = 0; i < n * batch; ++i)
    actual.values[static_cast<std::size_t>(i)] = {out[i].real(), out[i].imag()};
  return test::relative_error(actual, y);
}

/// Columns of a matrix, in place, by one recipe; 0 where the recipe does not fit.
double column_error(const std::string& recipe, Index n, Index columns, Index padded) {
  ArrayProblem problem;
  problem.dimensions = {{n, 2 * padded, 2 * padded}, {columns, 2, 2}};
  problem.axes = {0};
  const ArrayRecipe parsed = parse_array_recipe("axes 0: " + recipe);
  if (!fits(parsed, problem)) return 0;
  const ArrayPlan<double> plan(parsed, problem, thread_executor(2));
  Buffer<std::complex<double>> a(n * padded);
  Buffer<char> workspace(static_cast<Index>(plan.workspace_bytes()));
  std::fill_n(workspace.data(), plan.workspace_bytes(), char(0xff));
  const test::Field x = test::random_field({n, columns}, true, 3);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < columns; ++j) {
      const auto& v = x.values[static_cast<std::size_t>(i * columns + j)];
      a[i * padded + j] = {static_cast<double>(v.real()), static_cast<double>(v.imag())};
    }
  plan.execute(a.data(), a.data(), workspace.data());
  test::Field actual({n, columns});
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < columns; ++j)
      actual.values[static_cast<std::size_t>(i * columns + j)] = a[i * padded + j];
  return test::relative_error(actual, test::expected(c2c({n, columns}, {.axes = {0}}), x));
}

TEST(Lanes, StreamRowsThatAreWholeCacheLinesApart) {
  ArrayProblem problem;
  for (codelet::Isa isa : codelet::available_isas())
    for (Index padding : {0, 1, 2, 3, 4, 8}) {
      problem.dimensions = {{32, 2 * (64 + padding), 2 * (64 + padding)}, {64, 2, 2}};
      problem.axes = {0};
      const ArrayRecipe recipe = parse_array_recipe(
          std::string("axes 0: ") + codelet::to_string(isa) + ":lanes(8.4,1,stream)");
      EXPECT_EQ(fits(recipe, problem), has_streaming_stores(isa) && padding % 4 == 0) << padding;
    }
}

/// Bits of the output, and what lies before and after it, in a buffer filled with 7.
template <class Real>
std::vector<Real> executed(const std::string& recipe, const ArrayProblem& problem, Index count,
                           Index offset) {
  const ArrayRecipe parsed = parse_array_recipe("axes 0: " + recipe);
  EXPECT_EQ(misfit(parsed, problem), "") << recipe;
  const ArrayPlan<Real> plan(parsed, problem, thread_executor(2));
  Buffer<Real> in(count), out(count + 64);
  Buffer<char> workspace(static_cast<Index>(plan.workspace_bytes()));
  for (Index i = 0; i < count; ++i) in[i] = static_cast<Real>(std::sin(static_cast<double>(i)));
  std::ranges::fill(out.span(), Real{7});
  plan.execute(in.data(), out.data() + offset, workspace.data());
  std::vector<Real> all(out.data(), out.data() + out.size());
  std::rotate(all.begin(), all.begin() + offset, all.end());
  return all;
}

/// Streaming recipes may store to any address: the same bits as usual stores, and nothing else.
template <class Real>
void expect_streams_anywhere() {
  const Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;
  ArrayProblem columns, line;
  columns.precision = line.precision = precision;
  columns.dimensions = {{32, 2 * 104, 2 * 104}, {101, 2, 2}};
  line.dimensions = {{100 * 72, 2, 2}};
  columns.axes = line.axes = {0};
  for (codelet::Isa isa : codelet::available_isas()) {
    if (!has_streaming_stores(isa)) continue;
    const std::string start = std::string(codelet::to_string(isa)) + ":";
    for (Index offset : {0, 1, 2, 3, 5, 8, 13}) {
      for (const char* way : {"lanes(8.4,1", "lanes(8.4,2", "lanes(32,2", "lanes(4.2.4,3"})
        EXPECT_EQ(executed<Real>(start + way + ",stream)", columns, 32 * 208, offset),
                  executed<Real>(start + way + ")", columns, 32 * 208, offset))
            << start << way << " from real " << offset;
      for (const char* way : {"large(10.10,8.9,1", "large(10.10,8.9,2", "large(8.9,10.10,3"})
        EXPECT_EQ(executed<Real>(start + way + ",stream)", line, 14400, offset),
                  executed<Real>(start + way + ")", line, 14400, offset))
            << start << way << " from real " << offset;
    }
  }
}
TEST(Streaming, StoresToAnyAddress) {
  expect_streams_anywhere<float>();
  expect_streams_anywhere<double>();
}

TEST(Lanes, GroupsAndStreamingChangeNoResult) {
  const std::string isa = codelet::to_string(codelet::best_isa());
  for (const char* lanes : {"8.4", "4.2.4", "32"})
    for (const char* way : {",1)", ",2)", ",4)", ",1,stream)", ",2,stream)", ",4,stream)"})
      for (Index columns : {1, 15, 64, 101, 256})
        for (Index padding : {0, 3, 8})
          EXPECT_LT(column_error(isa + ":lanes(" + lanes + way, 32, columns, columns + padding),
                    test::tolerance(Precision::f64, 32))
              << lanes << way << " columns " << columns << " padding " << padding;
}

/// Columns and rows that leave a rest behind whole blocks, and lines that begin off a cache line.
TEST(Large, GroupsAndStreamingChangeNoResult) {
  const std::pair<LaneRecipe, LaneRecipe> matrices[] = {
      {lane_passes({8, 8}), lane_passes({8, 8})},
      {lane_passes({10, 10}), lane_passes({8, 16})},
      {lane_passes({4, 13}), lane_passes({5, 11})},
      {lane_passes({9, 7}), lane_passes({3, 25})}};
  for (codelet::Isa isa : codelet::available_isas())
    for (const auto& [columns, rows] : matrices)
      for (int groups : {1, 2, 4, 8})
        for (bool stream : {false, true})
          for (Index batch : {1, 3}) {
            if (groups > 1 && groups * codelet::lanes(isa, Precision::f32) > rows.n) continue;
            if (stream && !has_streaming_stores(isa)) continue;
            // One thread may do what all could do together.
            const AxisRecipe recipe = axis_large(isa, columns, rows, groups, stream, batch == 3);
            EXPECT_LT(error_of<double>(recipe, recipe.n, batch, Direction::backward, 0.5),
                      test::tolerance(Precision::f64, recipe.n))
                << to_text(recipe) << " batch " << batch;
            EXPECT_LT(error_of<float>(recipe, recipe.n, batch, Direction::forward, 1),
                      test::tolerance(Precision::f32, recipe.n))
                << to_text(recipe) << " batch " << batch;
          }
}

bool has_lines(const AxisProblem& problem, Precision precision) {
  bool found = false;
  for (const AxisRecipe& recipe : axis_candidates(problem, {.precision = precision}))
    found = found || recipe.type == AxisRecipe::Type::lines;
  return found;
}

TEST(Lines, AreCandidatesForContiguousRowsOnly) {
  if (codelet::best_isa() == codelet::Isa::scalar) GTEST_SKIP() << "line kernels need vectors";
  for (Precision precision : {Precision::f32, Precision::f64})
    for (Index n : {16, 32, 64}) {
      EXPECT_TRUE(has_lines({.n = n, .in_row = 2, .out_row = 2, .loops = {}}, precision));
      EXPECT_TRUE(
          has_lines({.n = n, .in_row = 2, .out_row = 2, .loops = {{9, 200, 300}}}, precision));
      EXPECT_FALSE(has_lines({.n = n, .in_row = 4, .out_row = 2, .loops = {}}, precision));
      EXPECT_FALSE(
          has_lines({.n = n, .in_row = 2, .out_row = 18, .loops = {{9, 200, 2}}}, precision));
    }
}

/// A recipe that wisdom holds for another layout is not built.
TEST(Lines, DoNotFitColumns) {
  if (codelet::best_isa() == codelet::Isa::scalar) GTEST_SKIP() << "line kernels need vectors";
  ArrayProblem problem;
  problem.dimensions = {{16, 2 * 16, 2 * 16}, {16, 2, 2}};
  problem.axes = {1};
  const ArrayRecipe rows{unfused_cut(problem), {axis_lines(codelet::best_isa(), 16)}};
  EXPECT_TRUE(fits(rows, problem));
  problem.axes = {0};
  const ArrayRecipe columns{unfused_cut(problem), {axis_lines(codelet::best_isa(), 16)}};
  EXPECT_FALSE(fits(columns, problem));
}

TEST(Candidates, AllComputeTheSameTransform) {
  for (Index n : {8, 16, 30, 64, 77, 100, 101, 202, 256, 509, 1024, 3125, 4096, 6000})
    for (Index batch : {1, 19, 280}) {
      if (batch > 19 && n > 64) continue;  // enough for groups of single kernels
      const AxisProblem problem{
          .n = n, .in_row = 2, .out_row = 2, .loops = {{batch, 2 * n, 2 * n}}};
      bool forward = true;
      for (const AxisRecipe& recipe : axis_candidates(problem, {.precision = Precision::f64})) {
        const Direction direction = (forward = !forward) ? Direction::forward : Direction::backward;
        EXPECT_LT(error_of<double>(recipe, n, batch, direction, 0.25),
                  test::tolerance(Precision::f64, n))
            << to_text(recipe);
      }
      for (const AxisRecipe& recipe : axis_candidates(problem, {.precision = Precision::f32})) {
        const Direction direction = (forward = !forward) ? Direction::forward : Direction::backward;
        EXPECT_LT(error_of<float>(recipe, n, batch, direction, 1.0),
                  test::tolerance(Precision::f32, n))
            << to_text(recipe);
      }
    }
}

TEST(Candidates, IncludeEveryInstructionSetOfThisCpu) {
  const AxisProblem problem{.n = 64, .in_row = 2, .out_row = 2, .loops = {{64, 128, 128}}};
  for (codelet::Isa isa : codelet::available_isas()) {
    if (isa == codelet::Isa::scalar && codelet::best_isa() != isa) {
      EXPECT_LT(
          error_of<double>(axis_lanes(isa, lane_passes({8, 8})), 64, 5, Direction::backward, 1),
          1e-15);
      EXPECT_LT(
          error_of<float>(axis_lanes(isa, lane_passes({4, 15})), 60, 5, Direction::forward, 2),
          1e-6);
      continue;
    }
    bool found = false;
    for (const AxisRecipe& recipe : axis_candidates(problem, {.precision = Precision::f64}))
      found = found || recipe.isa == isa;
    EXPECT_TRUE(found) << codelet::to_string(isa);
  }
}

}  // namespace
}  // namespace weft::local
