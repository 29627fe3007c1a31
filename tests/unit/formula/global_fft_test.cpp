// SPDX-License-Identifier: BSD-3-Clause
#include "formula/global_fft.hpp"

#include <gtest/gtest.h>

#include "formula/identities.hpp"
#include "formula/print.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

Formula product_of(const std::vector<GlobalStep>& steps) {
  std::vector<Formula> factors;
  for (const GlobalStep& step : steps) factors.push_back(step.formula);
  return compose(std::move(factors));
}

TEST(GlobalFft, FollowsFromTheSixStepForm) {
  const auto steps = global_fft(6, 4, 2);
  ASSERT_TRUE(steps.has_value());
  EXPECT_EQ(print(product_of(*steps)),
            "(I(2) x L(6,3) x I(2)) . (L(4,2) x I(6)) . (I(2) x (DFT(6) x I(2))) . "
            "(L(4,2) x I(6)) . ((I(2) x L(6,2) x I(2)) . T(24,4) . "
            "(I(2) x ((I(3) x DFT(4)) . L(12,3)))) . "
            "(L(4,2) x I(6)) . (I(2) x L(4,2) x I(3))");
}

TEST(GlobalFft, IsTheDft) {
  for (const auto& [m, n, p] :
       {std::tuple{4, 4, 2}, {8, 4, 2}, {4, 8, 4}, {8, 8, 4}, {6, 9, 3}, {12, 8, 4}, {16, 8, 8}}) {
    const auto steps = global_fft(m, n, p);
    ASSERT_TRUE(steps.has_value()) << m << " " << n << " " << p;
    expect_equal_matrices(product_of(*steps), dft(m * n), matrix_tolerance);
  }
}

/// With the diagonal before the scatter, as the paper writes the library (20).
TEST(GlobalFft, TakesThePapersFormWhenTheDiagonalMovesLeft) {
  const auto steps = global_fft(6, 4, 2);
  ASSERT_TRUE(steps.has_value());
  const auto& library = (*steps)[4].formula.as<Compose>()->factors;
  const auto scaled = move_diagonal_left(library[0], library[1]);
  ASSERT_TRUE(scaled.has_value());
  EXPECT_EQ(print(*scaled), "D(24) . (I(2) x L(6,2) x I(2))");
  expect_equal_matrices(*scaled, compose({library[0], library[1]}), matrix_tolerance);
}

TEST(GlobalFft, NeedsSizesThatTheProcessorsDivide) {
  EXPECT_FALSE(global_fft(6, 4, 4).has_value());
  EXPECT_FALSE(global_fft(6, 4, 3).has_value());
  EXPECT_FALSE(global_fft(6, 4, 1).has_value());
}

TEST(GlobalFft, IsWrittenForLongLinesWithoutTables) {
  const auto steps = global_fft(65536, 256, 4);
  ASSERT_TRUE(steps.has_value());
  EXPECT_EQ(print((*steps)[1].formula), "L(16,4) x I(1048576)");
  EXPECT_NE(print_latex(*steps).find("\\underbrace"), std::string::npos);
  EXPECT_NE(print_latex(*steps).find("all-to-all"), std::string::npos);
}

}  // namespace
}  // namespace weft::formula
