// SPDX-License-Identifier: BSD-3-Clause
// Bad requests are refused with a message that helps, before anything is touched.
#include "weft/plan.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace weft {
namespace {

using C = std::complex<double>;

template <class Function>
void expect_refused(Function function, const std::string& part_of_message) {
  try {
    function();
    FAIL() << "was not refused; expected a message with '" << part_of_message << "'";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find(part_of_message), std::string::npos) << error.what();
  }
}

TEST(BadRequests, AreRefusedWithAReason) {
  expect_refused([] { Plan(c2c({})); }, "no dimensions");
  expect_refused([] { Plan(c2c({0})); }, "at least 1");
  expect_refused([] { Plan(c2c({4, -3})); }, "at least 1");
  expect_refused([] { Plan(c2c(std::vector<Index>(33, 1))); }, "dimensions");
  expect_refused([] { Plan(c2c({Index{1} << 40, Index{1} << 40})); }, "64 bits");
  expect_refused([] { Plan(c2c({std::numeric_limits<Index>::max()})); }, "64 bits");
  expect_refused([] { Plan(c2c({8}, {.axes = {1}})); }, "axis 1");
  expect_refused([] { Plan(c2c({8}, {.axes = {-2}})); }, "axis -2");
  expect_refused([] { Plan(c2c({8, 8}, {.axes = {1, -1}})); }, "twice");
  expect_refused([] { Plan(r2r({8, 8, 8}, {R2r::dct2, R2r::dct3})); }, "one per axis");
  expect_refused([] { Plan(r2r({8}, {})); }, "kinds");
  expect_refused([] { Plan(r2r({1}, {R2r::dct1})); }, "DCT-I");
  expect_refused([] { Plan(c2c({8}), {.threads = -1}); }, "threads");
  expect_refused([] { Plan(c2c({8, 8}), Layout{{8}}, Layout{}); }, "one per dimension");
  expect_refused([] { Plan(c2c({8, 8}), Layout{{4, 1}}, Layout{}); }, "overlap");
  expect_refused([] { Plan(c2c({8}), Layout{{0}}, Layout{}); }, "overlap");
  expect_refused([] { Plan(c2c({8}), Layout{}, Layout{{std::numeric_limits<Index>::max() / 2}}); },
                 "64 bits");
}

TEST(BadArrays, AreRefusedAtExecution) {
  const Plan plan(c2c({4, 8}));
  std::vector<C> x(64), y(64);
  std::vector<std::complex<float>> single(64);
  std::vector<double> real(64);
  Workspace workspace = plan.make_workspace();
  expect_refused([&] { plan.execute(single.data(), y.data(), workspace); }, "f32");
  expect_refused([&] { plan.execute(x.data(), real.data(), workspace); }, "real");
  expect_refused([&] { plan.execute(static_cast<const C*>(nullptr), y.data(), workspace); },
                 "null");
  expect_refused([&] { plan.execute(x.data(), x.data() + 1, workspace); }, "share memory");
  expect_refused([&] { plan.execute(x.data() + 16, x.data(), workspace); }, "share memory");
  expect_refused(
      [&] {
        plan.execute(reinterpret_cast<C*>(reinterpret_cast<char*>(x.data()) + 4), y.data(),
                     workspace);
      },
      "align");
  expect_refused([&] { plan.execute(std::span<C>(x.data(), 31), std::span<C>(y)); }, "31 elements");
  expect_refused(
      [&] { plan.execute(View<C>(x.data(), {8, 4}), View<C>(y.data(), {4, 8}), workspace); },
      "extents or strides");
  expect_refused(
      [&] {
        plan.execute(View<C>(x.data(), {4, 8}, {1, 4}), View<C>(y.data(), {4, 8}), workspace);
      },
      "strides");
  Workspace small(1);
  expect_refused([&] { plan.execute(x.data(), y.data(), small); }, "make_workspace");
}

TEST(Overlap, InterleavedPartsOfOneArrayAreDisjoint) {
  // Columns 0..3 and 4..7 of the same 8 x 8 array: ranges overlap, elements do not.
  const Plan plan(c2c({8, 4}), Layout{{8, 1}}, Layout{{8, 1}});
  std::vector<C> a(64, C(1));
  Workspace workspace = plan.make_workspace();
  EXPECT_NO_THROW(plan.execute(a.data(), a.data() + 4, workspace));
  EXPECT_EQ(a[4], C(32));
  EXPECT_EQ(a[0], C(1));
  expect_refused([&] { plan.execute(a.data(), a.data() + 3, workspace); }, "share memory");
}

TEST(Plan, TellsItsShapesAndItsRecipe) {
  const Plan forward(r2c({6, 7, 8})), backward(c2r({6, 7, 9}));
  EXPECT_EQ(forward.input_shape(), (std::vector<Index>{6, 7, 8}));
  EXPECT_EQ(forward.output_shape(), (std::vector<Index>{6, 7, 5}));
  EXPECT_EQ(backward.input_shape(), (std::vector<Index>{6, 7, 5}));
  EXPECT_EQ(backward.output_shape(), (std::vector<Index>{6, 7, 9}));
  EXPECT_FALSE(forward.recipe().empty());
  EXPECT_NE(forward.tree().find("axis 2"), std::string::npos);
  EXPECT_NE(Plan(c2c({64})).formula().find("DFT"), std::string::npos);
  EXPECT_GT(forward.cost().flops, 0);
  EXPECT_GE(forward.cost().passes, 1);
}

TEST(Plan, MovesAndKeepsWorking) {
  Plan first(c2c({16}));
  Plan second = std::move(first);
  std::vector<C> x(16, C(1)), y(16);
  second.execute(std::span<const C>(x), std::span<C>(y));
  EXPECT_EQ(y[0], C(16));
}

TEST(View, RefusesTooManyDimensionsAndMismatchedStrides) {
  double x = 0;
  const std::vector<Index> many(33, 1);
  EXPECT_THROW(View<double>(&x, std::span<const Index>(many)), Error);
  EXPECT_THROW(View<double>(&x, {1, 1}, {1}), Error);
}

}  // namespace
}  // namespace weft
