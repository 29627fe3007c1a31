// SPDX-License-Identifier: BSD-3-Clause
// All candidate recipes of a real transform give the same result: rows and columns, in and out of
// place, full and partly filled registers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/buffer.hpp"
#include "codelet/runtime/isa.hpp"
#include "codelet/runtime/names.hpp"
#include "local/array/array_plan.hpp"
#include "local/choose/candidates.hpp"
#include "local/choose/cuts.hpp"
#include "local/lane/mirror_tables.hpp"
#include "support/oracle.hpp"
#include "support/run_plan.hpp"

namespace weft::local {
namespace {

enum class Order { rows, rows_in_place, columns };

struct Case {
  Kind kind;
  Index n, batch;
  Order order;
};

/// Rows are padded to hold either side; columns are neighbours.
ArrayProblem problem_of(const Case& c, Precision precision) {
  ArrayProblem problem;
  problem.kind = c.kind;
  problem.precision = precision;
  problem.direction = c.kind == Kind::r2c ? Direction::forward : Direction::backward;
  problem.scale = 0.25;
  const bool forward = c.kind == Kind::r2c;
  const Index in_width = forward ? 1 : 2, out_width = 3 - in_width;
  const Index line = 2 * (c.n / 2 + 1);
  if (c.order == Order::columns)
    problem.dimensions = {{c.batch, in_width, out_width},
                          {c.n, in_width * c.batch, out_width * c.batch}};
  else
    problem.dimensions = {{c.batch, line, line}, {c.n, in_width, out_width}};
  problem.axes = {1};
  return problem;
}

template <class Real>
double error_of(const AxisRecipe& recipe, const Case& c, const ArrayProblem& problem) {
  const ArrayPlan<Real> plan({unfused_cut(problem), {recipe}}, problem, serial_executor());
  const Index reals = 2 * c.batch * (c.n + 2);
  Buffer<Real> in(reals), separate(reals);
  Buffer<char> workspace(static_cast<Index>(plan.workspace_bytes()));
  std::fill_n(workspace.data(), plan.workspace_bytes(), char(0xff));
  Real* out = c.order == Order::rows_in_place ? in.data() : separate.data();

  const bool forward = c.kind == Kind::r2c;
  const Dimension &across = problem.dimensions[0], &along = problem.dimensions[1];
  const Index in_points = problem.in_extent(1), out_points = problem.out_extent(1);
  const test::Field x =
      test::rounded(test::random_field({c.batch, in_points}, !forward, 7), problem.precision);
  for (Index b = 0; b < c.batch; ++b)
    for (Index j = 0; j < in_points; ++j) {
      const auto& value = x.values[static_cast<std::size_t>(b * in_points + j)];
      Real* at = in.data() + b * across.in + j * along.in;
      at[0] = static_cast<Real>(value.real());
      if (!forward) at[1] = static_cast<Real>(value.imag());
    }
  plan.execute(in.data(), out, workspace.data());

  test::Field y({c.batch, out_points});
  for (Index b = 0; b < c.batch; ++b)
    for (Index k = 0; k < out_points; ++k) {
      const Real* at = out + b * across.out + k * along.out;
      y.values[static_cast<std::size_t>(b * out_points + k)] = {at[0], forward ? at[1] : Real(0)};
    }
  const Transform transform =
      forward ? r2c({c.batch, c.n}, {.axes = {1}}) : c2r({c.batch, c.n}, {.axes = {1}});
  test::Field wanted = test::expected(transform, x);
  for (auto& value : wanted.values) value *= problem.scale;
  return test::relative_error(y, wanted);
}

/// The types of recipes that have been checked.
std::string check(const Case& c, Precision precision) {
  const ArrayProblem problem = problem_of(c, precision);
  const AxisProblem axis = tiles_of(problem, unfused_cut(problem)).front().axes.front().problem;
  std::string seen;
  for (const AxisRecipe& recipe : axis_candidates(axis, {.precision = precision})) {
    const double error = precision == Precision::f64 ? error_of<double>(recipe, c, problem)
                                                     : error_of<float>(recipe, c, problem);
    EXPECT_LT(error, test::tolerance(precision, c.n))
        << to_text(recipe) << " n " << c.n << " batch " << c.batch << " order "
        << static_cast<int>(c.order) << " kind " << static_cast<int>(c.kind);
    seen += to_text(recipe) + " ";
  }
  return seen;
}

/// Two lines of h points (h + 1 on the side of the spectrum) with gaps, by one instruction set.
template <class Real>
std::vector<Real> mirrored(codelet::Isa isa, Index h, Kind kind, bool in_place) {
  const MirrorTable<Real> table(2 * h, kind, 0.5);
  const Index step = 2 * h + 5;
  std::vector<Real> in(static_cast<std::size_t>(2 * step)), out(in.size(), Real(-7));
  test::Random random(static_cast<std::uint64_t>(h));
  for (Real& value : in) value = static_cast<Real>(random.uniform());
  if (in_place) out = in;
  lane_ops<Real>(isa).mirror_lines(in_place ? out.data() : in.data(), out.data(),
                                   table.work(2, step, step));
  for (Index line = 0; line < 2; ++line)  // what lies between the lines must stay as it was
    for (Index i = 2 * h + (kind == Kind::r2c ? 2 : 0); i < step; ++i) {
      const auto at = static_cast<std::size_t>(line * step + i);
      EXPECT_EQ(out[at], in_place ? in[at] : Real(-7)) << codelet::to_string(isa) << " " << h;
      out[at] = 0;
    }
  return out;
}

template <class Real>
void expect_mirrored(codelet::Isa isa, Index h, Kind kind, double tolerance) {
  const auto expected = mirrored<Real>(codelet::Isa::scalar, h, kind, false);
  for (bool in_place : {false, true}) {
    const auto actual = mirrored<Real>(isa, h, kind, in_place);
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(actual[i], expected[i], tolerance)
          << codelet::to_string(isa) << " " << h << (in_place ? " in place" : "") << " at " << i;
  }
}

/// Short lines are where groups of registers overlap, or do not fit at all; long ones come in
/// blocks.
TEST(MirrorLines, AreTheSameOnEveryInstructionSet) {
  std::vector<Index> lengths{8191, 8192, 8193, 8194, 9001, 10240};
  for (Index h = 1; h <= 40; ++h) lengths.push_back(h);
  for (codelet::Isa isa : codelet::available_isas())
    for (Kind kind : {Kind::r2c, Kind::c2r})
      for (Index h : lengths) {
        expect_mirrored<double>(isa, h, kind, 2e-15);
        expect_mirrored<float>(isa, h, kind, 1e-6);
      }
}

/// Blocks are pieces of work that threads share.
TEST(MirrorLines, BlocksMakeUpTheLine) {
  const Index h = 9001;
  const MirrorTable<double> table(2 * h, Kind::r2c, 1.0);
  ASSERT_GT(table.blocks(), 3);
  std::vector<double> in(static_cast<std::size_t>(2 * h)), whole(in.size() + 2),
      parts(whole.size());
  test::Random random(7);
  for (double& value : in) value = random.uniform();
  const auto& ops = lane_ops<double>(codelet::best_isa());
  ops.mirror_lines(in.data(), whole.data(), table.work(1, 0, 0));
  ops.mirror_lines(in.data(), parts.data(), table.work(2, table.blocks()));
  ops.mirror_lines(in.data(), parts.data(), table.work(0, 2));
  EXPECT_EQ(parts, whole);
}

class RealCandidates : public ::testing::TestWithParam<Precision> {};

TEST_P(RealCandidates, AllComputeTheSameTransform) {
  std::string seen;
  for (Kind kind : {Kind::r2c, Kind::c2r})
    for (Order order : {Order::rows, Order::rows_in_place, Order::columns})
      for (Index n : {2, 3, 9, 15, 16, 32, 41, 48, 51, 60, 64, 77, 90, 125, 128, 256, 360})
        for (Index batch : {1, 11, 35}) seen += check({kind, n, batch, order}, GetParam());
  for (Kind kind : {Kind::r2c, Kind::c2r})  // long enough for factors in blocks
    for (Order order : {Order::rows, Order::rows_in_place})
      seen += check({kind, 20000, 1, order}, GetParam());
  EXPECT_NE(seen.find(":real_kernel("), std::string::npos);
  EXPECT_NE(seen.find(":four_step("), std::string::npos);
  EXPECT_NE(seen.find(":large("), std::string::npos);
  if (codelet::best_isa() != codelet::Isa::scalar) {
    EXPECT_NE(seen.find(":lines("), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, RealCandidates,
                         ::testing::Values(Precision::f32, Precision::f64),
                         [](const auto& p) { return p.param == Precision::f32 ? "f32" : "f64"; });

}  // namespace
}  // namespace weft::local
