// SPDX-License-Identifier: BSD-3-Clause
// A plan can be built from the text that it prints, and is then the same plan.
#include <gtest/gtest.h>

#include <cstring>

#include "support/oracle.hpp"
#include "weft/plan.hpp"

namespace weft {
namespace {

template <class In, class Out>
std::vector<Out> results(const Plan& plan, const Transform& transform) {
  const auto count = [](const std::vector<Index>& shape) {
    Index n = 1;
    for (Index extent : shape) n *= extent;
    return static_cast<std::size_t>(n);
  };
  // Some bits, few enough that binary16 holds finite numbers only.
  std::vector<In> in(count(plan.input_shape()));
  std::vector<Out> out(count(plan.output_shape()));
  test::Random random(static_cast<std::uint64_t>(in.size()));
  auto* bytes = reinterpret_cast<unsigned char*>(in.data());
  const Index real = transform.precision == Precision::f64   ? 8
                     : transform.precision == Precision::f32 ? 4
                                                             : 2;
  for (std::size_t i = 0; i < in.size() * sizeof(In); ++i) {
    const bool is_exponent = static_cast<Index>(i) % real == real - 1;
    bytes[i] = static_cast<unsigned char>(is_exponent ? 0x38 : random.between(0, 127));
  }
  plan.execute(in.data(), out.data());
  return out;
}

template <class In, class Out>
void expect_same(const Transform& transform, int threads) {
  const Plan plan(transform, PlanOptions{.threads = threads, .use_wisdom = false});
  const Plan again(transform,
                   PlanOptions{.threads = threads, .use_wisdom = false, .recipe = plan.recipe()});
  EXPECT_EQ(again.recipe(), plan.recipe());
  const auto a = results<In, Out>(plan, transform), b = results<In, Out>(again, transform);
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(Out)), 0) << plan.recipe();
}

template <class Real, class Complex>
void expect_same_of_all_kinds(const std::vector<Index>& shape, Precision precision, int threads) {
  const TransformOptions with{.precision = precision};
  expect_same<Complex, Complex>(c2c(shape, with), threads);
  expect_same<Real, Complex>(r2c(shape, with), threads);
  expect_same<Complex, Real>(c2r(shape, with), threads);
  expect_same<Real, Real>(r2r(shape, {R2r::dct2}, with), threads);
}

TEST(PlanFromItsText, IsTheSamePlan) {
  for (const std::vector<Index>& shape : std::vector<std::vector<Index>>{{1},
                                                                         {2},
                                                                         {17},
                                                                         {64},
                                                                         {97},
                                                                         {1009},
                                                                         {4096},
                                                                         {65536},
                                                                         {7, 64},
                                                                         {30, 31},
                                                                         {64, 48},
                                                                         {5, 6, 7},
                                                                         {16, 16, 64},
                                                                         {48, 40, 36},
                                                                         {3, 4, 5, 6}})
    for (int threads : {1, 2}) {
      expect_same_of_all_kinds<float, std::complex<float>>(shape, Precision::f32, threads);
      expect_same_of_all_kinds<double, std::complex<double>>(shape, Precision::f64, threads);
      expect_same_of_all_kinds<Half, ComplexHalf>(shape, Precision::f16, threads);
    }
}

TEST(PlanFromText, RunsWhatIsAsked) {
  const std::string recipe = "axes 0: scalar:lanes(2.3,1) | axes 1: scalar:lanes(4,1)";
  EXPECT_EQ(Plan(c2c({6, 4}), PlanOptions{.recipe = recipe}).recipe(), recipe);
}

TEST(PlanFromText, SaysWhatDoesNotFit) {
  const auto expect_refused = [](const std::string& recipe, const std::string& part) {
    try {
      Plan(c2c({6, 4}), PlanOptions{.recipe = recipe});
      ADD_FAILURE() << "was not refused: " << recipe;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect_refused("nonsense", "cannot read the recipe 'nonsense'");
  expect_refused("axes 0: scalar:lanes(6,1)", "2 axes, the recipe 1");
  expect_refused("axes 0: scalar:lanes(6,1) | axes 1: scalar:lanes(5,1)",
                 "scalar:lanes(5,1) cannot do axis 1, 4 points");
}

}  // namespace
}  // namespace weft
