// SPDX-License-Identifier: BSD-3-Clause
// Arrays at the edge: nothing to transform, nothing in the array, no dimensions; inputs whose
// elements share memory.
#include <gtest/gtest.h>

#include <complex>

#include "refused.hpp"
#include "support/run_plan.hpp"
#include "weft/weft.hpp"

namespace weft::test {
namespace {

using C = std::complex<double>;

template <class T>
std::vector<T> numbers(std::size_t count) {
  std::vector<T> list(count);
  for (std::size_t i = 0; i < count; ++i) list[i] = static_cast<T>(static_cast<double>(i) + 0.5);
  return list;
}

TEST(NoAxis, IsACopyThatKeepsTheScale) {
  const std::vector<C> x = numbers<C>(6);
  std::vector<C> y(6);
  const Plan plan(c2c({2, 3}, {.direction = Direction::backward,
                               .normalization = Normalization::backward,
                               .empty_axes = EmptyAxes::none}));
  plan.execute(x, y);
  EXPECT_EQ(y, x);
  EXPECT_EQ(plan.recipe(), "copy");
  EXPECT_NE(plan.tree().find("copied"), std::string::npos);
  EXPECT_EQ(plan.transform().axes, std::vector<int>{});
  EXPECT_EQ(Plan(plan.transform()).recipe(), "copy") << "what the plan tells can be planned again";
  EXPECT_EQ(Plan(c2c({2, 3})).transform().axes, (std::vector<int>{0, 1})) << "the default is all";
}

TEST(NoAxis, CopiesToOtherStridesOfEveryType) {
  for (const Precision precision : {Precision::f16, Precision::f32, Precision::f64})
    for (const Kind kind : {Kind::c2c, Kind::r2r})
      for (const int threads : {1, 3}) {
        Transform transform;
        transform.kind = kind;
        transform.shape = {37, 5, 70};
        transform.precision = precision;
        transform.empty_axes = EmptyAxes::none;
        const Field input = rounded(random_field({37, 5, 70}, kind == Kind::c2c, 3), precision);
        const RunResult result = run_plan(
            transform, input, {.output = {.strides = {5, 1, -200}}, .plan = {.threads = threads}});
        EXPECT_EQ(result.output.values, input.values);
        EXPECT_TRUE(result.guards_intact);
      }
}

TEST(NoAxis, InPlaceLeavesTheArray) {
  std::vector<double> x = numbers<double>(12);
  const std::vector<double> before = x;
  const Plan plan(r2r({3, 4}, {}, {.empty_axes = EmptyAxes::none}));
  plan.execute(x, x);
  EXPECT_EQ(x, before);
}

TEST(NoAxis, IsRefusedForRealTransforms) {
  expect_error([] { Plan(r2c({4}, {.empty_axes = EmptyAxes::none})); }, "need an axis");
  expect_error([] { Plan(c2r({}, {})); }, "need an axis");
  expect_error([] { Plan(r2r({4}, {R2r::dct2, R2r::dct2}, {.empty_axes = EmptyAxes::none})); },
               "0 axes got 2 kinds");
}

TEST(NoAxis, OtherRecipesAreRefused) {
  PlanOptions options;
  options.recipe = "axes 0: scalar:lanes(4,1)";
  expect_error([&] { Plan(c2c({4}, {.empty_axes = EmptyAxes::none}), options); }, "axis");
  options.recipe = "copy";
  expect_error([&] { Plan(c2c({4}), options); }, "axes");
  EXPECT_EQ(Plan(c2c({4}, {.empty_axes = EmptyAxes::none}), options).recipe(), "copy");
}

TEST(NoDimensions, CopyOneElement) {
  const C x(3, 4);
  C y;
  for (const Effort effort : {Effort::estimate, Effort::measure}) {
    const Plan plan(c2c({}), {.effort = effort});
    plan.execute(&x, &y);
    EXPECT_EQ(y, x);
    EXPECT_EQ(plan.input_shape(), std::vector<Index>{});
  }
  const Plan plan(c2c({}));
  y = 0;
  plan.execute(View<const C>(&x, {}, {}), View<C>(&y, {}, {}));
  EXPECT_EQ(y, x);
}

TEST(EmptyArrays, TouchNoMemory) {
  for (const std::vector<Index>& shape :
       std::vector<std::vector<Index>>{{0}, {0, 4}, {4, 0}, {0, 0}, {3, 0, 5}}) {
    for (const Transform& transform :
         {c2c(shape), r2c(shape), c2r(shape), r2r(shape, {R2r::dct1}), c2c(shape, {.axes = {0}}),
          c2c(shape, {.empty_axes = EmptyAxes::none})}) {
      const Plan plan(transform, {.effort = Effort::measure, .threads = 2});
      EXPECT_EQ(plan.workspace_bytes() > 1 << 20, false);
      Workspace workspace = plan.make_workspace();
      const bool real_in = transform.kind == Kind::r2c || transform.kind == Kind::r2r;
      const bool real_out = transform.kind == Kind::c2r || transform.kind == Kind::r2r;
      const double* reals = nullptr;
      const C* complexes = nullptr;
      if (real_in && real_out) plan.execute(reals, const_cast<double*>(reals), workspace);
      if (real_in && !real_out) plan.execute(reals, const_cast<C*>(complexes), workspace);
      if (!real_in && real_out) plan.execute(complexes, const_cast<double*>(reals), workspace);
      if (!real_in && !real_out) plan.execute(complexes, const_cast<C*>(complexes), workspace);
      Index points = 1;
      for (Index n : plan.output_shape()) points *= n;
      EXPECT_EQ(points, 0) << "so no output is left without a value";
      EXPECT_NE(plan.tree().find("nothing"), std::string::npos);
      EXPECT_EQ(plan.cost().flops, 0);
      EXPECT_FALSE(plan.formula().empty());
    }
  }
}

TEST(EmptyArrays, MayHaveAnyLayoutAndView) {
  std::vector<C> none;
  const Plan plan(c2c({0, 4}), Layout{{7, 7}}, Layout{{1, 0}});
  plan.execute(none, none);
  plan.execute(View<C>(none.data(), {0, 4}), View<C>(none.data(), {0, 4}));
  expect_error([&] { plan.execute(View<C>(none.data(), {0, 5}), View<C>(none.data(), {0, 4})); },
               "input view");
  expect_error([] { Plan(c2c({4, -1})); }, "at least 0");
  expect_error([] { Plan(c2c({Index{1} << 40, Index{1} << 40, 0})); }, "number of elements");
}

/// The result for an input that was copied to memory of its own.
std::vector<C> transformed_copy(const Transform& transform, const std::vector<C>& x,
                                const std::vector<Index>& strides) {
  std::vector<C> apart, y;
  for (Index i = 0; i < transform.shape[0]; ++i)
    for (Index j = 0; j < transform.shape[1]; ++j)
      apart.push_back(x[static_cast<std::size_t>(i * strides[0] + j * strides[1])]);
  y.resize(apart.size());
  Plan(transform).execute(apart, y);
  return y;
}

TEST(SharedInput, MayOverlapAndRepeat) {
  const std::vector<C> x = numbers<C>(400);
  for (const std::vector<Index>& strides :
       std::vector<std::vector<Index>>{{4, 1}, {0, 1}, {1, 0}, {0, 0}, {1, 1}, {2, 3}, {1, 4}})
    for (const std::vector<int>& axes : std::vector<std::vector<int>>{{0}, {1}, {0, 1}})
      for (const int threads : {1, 2}) {
        const Transform transform = c2c({19, 30}, {.axes = axes});
        const Plan plan(transform, Layout{strides}, Layout{}, {.threads = threads});
        std::vector<C> before = x, y(19 * 30);
        plan.execute(before.data(), y.data());
        EXPECT_EQ(before, x);
        const std::vector<C> wanted = transformed_copy(transform, x, strides);
        double largest = 0;
        for (std::size_t i = 0; i < y.size(); ++i)
          largest = std::max(largest, std::abs(y[i] - wanted[i]));
        EXPECT_LT(largest, 1e-9);
      }
}

TEST(SharedInput, OneRealRowForAllMayBePadded) {
  const std::vector<double> row = numbers<double>(5);
  std::vector<double> apart;
  for (int i = 0; i < 3; ++i) apart.insert(apart.end(), row.begin(), row.end());
  for (const Index n : {3, 4, 6, 7, 8}) {
    const Transform transform = r2c({n, 5}, {.axes = {0}, .input_extents = {3, 5}});
    std::vector<C> y(static_cast<std::size_t>(5 * (n / 2 + 1))), wanted = y;
    Plan(transform, Layout{{0, 1}}, Layout{}).execute(row.data(), y.data());
    Plan(transform).execute(apart.data(), wanted.data());
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_LT(std::abs(y[i] - wanted[i]), 1e-12) << n;
  }
}

TEST(SharedInput, IsForReadingOnly) {
  expect_error([] { Plan(c2c({8, 8}), Layout{}, Layout{{4, 1}}); }, "overlap");
  expect_error([] { Plan(c2c({8}), Layout{}, Layout{{0}}); }, "overlap");
  const Plan plan(c2c({8, 8}), Layout{{4, 1}}, Layout{});
  std::vector<C> x(200);
  expect_error([&] { plan.execute(x.data(), x.data()); }, "share memory");
  expect_error([&] { plan.execute(x.data(), x.data() + 35); }, "share memory");
  EXPECT_NO_THROW(plan.execute(x.data(), x.data() + 36));
}

}  // namespace
}  // namespace weft::test
