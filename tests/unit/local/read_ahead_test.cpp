// SPDX-License-Identifier: BSD-3-Clause
// Lines that are fetched ahead or stored past the caches: the same bits as without, at any address,
// whatever number of lines is left over, and nothing else is written. Columns the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "base/names.hpp"
#include "codelet/runtime/isa.hpp"
#include "codelet/runtime/names.hpp"
#include "local/array/array_fit.hpp"
#include "local/array/array_plan.hpp"
#include "local/axis/axis_fit.hpp"
#include "local/choose/candidates.hpp"
#include "local/choose/cost_model.hpp"
#include "local/lane/lane_ops.hpp"

namespace weft::local {
namespace {

/// `lines` lines of n points, each `gap` points after the end of the one before it.
ArrayProblem lines_of(Kind kind, Precision precision, Index lines, Index n, Index gap,
                      bool in_place) {
  const Index half = n / 2 + 1;
  const auto row = [&](bool is_real) {
    return is_real ? (in_place ? 2 * half : n) + gap : 2 * ((kind == Kind::c2c ? n : half) + gap);
  };
  ArrayProblem problem;
  problem.kind = kind;
  problem.precision = precision;
  problem.scale = 0.5;
  const Index in = in_place ? row(false) : row(kind == Kind::r2c);
  const Index out = in_place ? row(false) : row(kind == Kind::c2r);
  problem.dimensions = {{lines, in, out}, {n, in_width(kind), out_width(kind)}};
  problem.axes = {1};
  return problem;
}

template <class Real>
std::vector<Real> executed(const std::string& recipe, const ArrayProblem& problem, bool in_place,
                           Index offset) {
  const ArrayRecipe parsed = parse_array_recipe(recipe);
  EXPECT_EQ(misfit(parsed, problem), "") << recipe;
  const ArrayPlan<Real> plan(parsed, problem, thread_executor(2));
  const Dimension& rows = problem.dimensions[0];
  const Index count = rows.n * std::max(rows.in, rows.out) + 64;
  Buffer<Real> in(count), out(count);
  Buffer<char> workspace(static_cast<Index>(plan.workspace_bytes()));
  for (Index i = 0; i < count; ++i) in[i] = static_cast<Real>(std::sin(static_cast<double>(i)));
  std::ranges::fill(out.span(), Real{7});
  Real* to = (in_place ? in : out).data() + offset;
  plan.execute(in.data() + offset, to, workspace.data());
  const auto span = (in_place ? in : out).span();
  return {span.begin(), span.end()};
}

template <class Real>
std::vector<Real> lines_executed(const std::string& recipe, const ArrayProblem& problem,
                                 bool in_place, Index offset) {
  return executed<Real>("axes 1: " + recipe, problem, in_place, offset);
}

template <class Real>
void expect_same_bits() {
  const Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;
  struct Case {
    Kind kind;
    Index n;
    const char* way;
  };
  const Case cases[] = {{Kind::c2c, 64, "lines(64"},
                        {Kind::c2c, 320, "four_step(20,16"},
                        {Kind::c2c, 1280, "four_step(8.10,16"},
                        {Kind::r2c, 64, "lines(32"},
                        {Kind::r2c, 512, "lines(256"},
                        {Kind::r2c, 640, "four_step(20,16"},
                        {Kind::c2r, 64, "lines(32"},
                        {Kind::c2r, 640, "four_step(20,16"}};
  for (codelet::Isa isa : codelet::available_isas()) {
    if (isa == codelet::Isa::scalar) continue;  // has no line kernels
    for (const Case& one : cases)
      for (const bool in_place : {false, true})
        for (const Index lines : {2, 3, 37})
          for (const Index gap : {0, 1, 5}) {
            const ArrayProblem problem = lines_of(one.kind, precision, lines, one.n, gap, in_place);
            const std::string way = std::string(codelet::to_string(isa)) + ":" + one.way;
            if (!fits(parse_array_recipe("axes 1: " + way + ")"), problem)) continue;
            const auto plain = lines_executed<Real>(way + ")", problem, in_place, gap);
            EXPECT_EQ(plain, lines_executed<Real>(way + ",ahead)", problem, in_place, gap))
                << way << " " << lines << " lines, gap " << gap;
            if (!has_streaming_stores(isa)) continue;
            EXPECT_EQ(plain, lines_executed<Real>(way + ",stream)", problem, in_place, gap))
                << way << " " << lines << " lines, gap " << gap;
          }
  }
}

/// Columns of n points: `columns` neighbours, whole blocks and what is left over, and `gap` points
/// after the end of each row.
template <class Real>
void expect_same_columns() {
  const Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;
  for (codelet::Isa isa : codelet::available_isas()) {
    if (!has_streaming_stores(isa)) continue;
    int compared = 0;
    for (const char* way : {"lanes(64,2", "lanes(8.8,1", "lanes(4.4.4,4"})
      for (const Index columns : {8, 68, 72, 136})
        for (const Index gap : {0, 8})
          for (const bool in_place : {false, true}) {
            const Index row = 2 * (columns + gap);
            ArrayProblem problem;
            problem.precision = precision;
            problem.scale = 0.5;
            problem.dimensions = {{64, row, row}, {columns, 2, 2}};
            problem.axes = {0};
            const std::string start = "axes 0: " + std::string(codelet::to_string(isa)) + ":" + way;
            if (!fits(parse_array_recipe(start + ",stream)"), problem)) continue;
            ++compared;
            EXPECT_EQ(executed<Real>(start + ")", problem, in_place, 3),
                      executed<Real>(start + ",stream)", problem, in_place, 3))
                << start << " " << columns << " columns, gap " << gap
                << (in_place ? " in place" : "");
          }
    EXPECT_GE(compared, 12) << codelet::to_string(isa);
  }
}

TEST(ReadAhead, ColumnsThatAreStreamedHaveTheSameBitsInPlaceToo) {
  expect_same_columns<float>();
  expect_same_columns<double>();
}

TEST(ReadAhead, ChangesNoBit) {
  expect_same_bits<float>();
  expect_same_bits<double>();
}

TEST(ReadAhead, IsForContiguousLinesOnly) {
  const codelet::Isa isa = codelet::best_isa();
  if (isa == codelet::Isa::scalar) GTEST_SKIP() << "line kernels need vectors";
  const AxisProblem lines{.n = 64, .in_row = 2, .out_row = 2, .loops = {{9, 128, 128}}};
  const AxisRecipe plain = axis_lines(isa, 64);
  EXPECT_TRUE(fits(read_ahead(plain), lines, Precision::f64));
  EXPECT_EQ(fits(streamed(plain), lines, Precision::f64), has_streaming_stores(isa));
  EXPECT_FALSE(fits(read_ahead(streamed(plain)), lines, Precision::f64));
  AxisProblem apart = lines;
  apart.in_row = 4;
  EXPECT_FALSE(fits(read_ahead(axis_four_step(isa, lane_passes({16}), lane_passes({16}))),
                    {.n = 256, .in_row = 4, .out_row = 2, .loops = {{9, 1024, 512}}},
                    Precision::f32));
  EXPECT_FALSE(fits(read_ahead(plain), apart, Precision::f64));
}

/// What a tile of a large array holds comes from memory, and is needed again.
TEST(ReadAhead, IsChosenWhereLinesComeFromMemory) {
  if (codelet::best_isa() == codelet::Isa::scalar) GTEST_SKIP() << "line kernels need vectors";
  const AxisProblem tile{.n = 256, .in_row = 2, .out_row = 2, .loops = {{256, 512, 512}}};
  AxisProblem array = tile;
  array.loops[0].count = Index{1} << 22;
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const auto first = [&](const AxisProblem& problem, const Setting& setting) {
      return axis_candidates(problem, setting).front();
    };
    EXPECT_FALSE(reads_ahead(first(tile, {.precision = precision})));
    const AxisRecipe in_tile = first(tile, {.precision = precision, .from_memory = true});
    EXPECT_TRUE(in_tile.ahead && !in_tile.stream) << to_text(in_tile);
    const AxisRecipe in_place = first(array, {.precision = precision, .in_place = true});
    EXPECT_TRUE(in_place.ahead && !in_place.stream) << to_text(in_place);
    EXPECT_TRUE(reads_ahead(first(array, {.precision = precision})));
  }
}

}  // namespace
}  // namespace weft::local
