// SPDX-License-Identifier: BSD-3-Clause
#include "formula/expand.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/index.hpp"
#include "formula/operation_count.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

void expect_terminal_and_equal(const Formula& expanded, const Formula& transform) {
  EXPECT_TRUE(expanded.is_terminal());
  expect_equal_matrices(expanded, transform, matrix_tolerance);
}

TEST(ExpandBest, IsTerminalAndEqualsTheDft) {
  for (Index n = 1; n <= 64; ++n) {
    SCOPED_TRACE(n);
    expect_terminal_and_equal(expand_best(n), dft(n));
    if (n % 4 == 0) expect_terminal_and_equal(expand_best(n, Objective::operations), dft(n));
  }
}

TEST(ExpandBest, IsTerminalAndEqualsTheRealTransforms) {
  for (Index n = 1; n <= 36; ++n) {
    SCOPED_TRACE(n);
    for (const Formula& transform : {real_dft(n), inverse_real_dft(n), dht(n)})
      expect_terminal_and_equal(expand_best(transform), transform);
  }
  for (const Formula& transform : {real_dft(64), inverse_real_dft(64)})
    expect_terminal_and_equal(expand_best(transform), transform);
}

TEST(ExpandBest, IsTerminalAndEqualsTheTrigonometricTransforms) {
  for (int kind = 0; kind < 8; ++kind)
    for (Index n = 2; n <= 17; ++n) {
      const Formula transform = trigonometric(static_cast<TrigonometricKind>(kind), n);
      expect_terminal_and_equal(expand_best(transform), transform);
    }
}

TEST(ExpandBest, ReachesTransformsInsideAFormula) {
  const Formula formula = compose({tensor({dft(3), identity(4)}), direct_sum({dft(5), dft(7)})});
  expect_terminal_and_equal(expand_best(formula), formula);
}

TEST(ExpandBest, CostsNoMoreThanPublishedKernels) {
  const struct {
    Index n, additions, multiplications;
  } published[] = {{6, 36, 8},    {8, 52, 4},     {9, 80, 40},   {10, 84, 24},
                   {12, 96, 16},  {14, 148, 72},  {15, 156, 56}, {16, 144, 24},
                   {20, 208, 48}, {25, 352, 268}, {32, 372, 84}, {64, 912, 248}};
  for (const auto& [n, additions, multiplications] : published) {
    const OperationCount count = operation_count(expand_best(n));
    EXPECT_LE(count.additions, additions) << n;
    EXPECT_LE(count.multiplications, multiplications) << n;
  }
}

TEST(ExpandBest, LetsEveryProductJoinAnAddition) {
  for (Index n = 1; n <= 128; ++n) {
    if (largest_prime_factor(n) > 31) continue;  // Rader's products of spectra stand alone
    const OperationCount count = operation_count(expand_best(n));
    EXPECT_EQ(count.fused_total(), count.additions) << n;
  }
}

TEST(ExpandBest, GivesTheSameFormulaEveryTime) {
  EXPECT_EQ(expand_best(60), expand_best(60));
  EXPECT_EQ(expand_best(real_dft(48)), expand_best(real_dft(48)));
}

TEST(Expansions, AreDifferentTerminalAndEqual) {
  for (Index n : {6, 8, 12, 13}) {
    const auto all = expansions(dft(n), 20);
    EXPECT_GT(all.size(), 2u);
    EXPECT_LE(all.size(), 20u);
    for (std::size_t i = 0; i < all.size(); ++i) {
      expect_terminal_and_equal(all[i], dft(n));
      EXPECT_EQ(std::ranges::count(all, all[i]), 1);
    }
  }
}

TEST(Candidates, NameTheirRules) {
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates(dft(7))) names.push_back(candidate.rule);
  EXPECT_EQ(names,
            (std::vector<std::string>{"symmetric prime", "rader", "bluestein", "bluestein"}));
  EXPECT_TRUE(candidates(dft(2)).empty());
  EXPECT_TRUE(candidates(identity(4)).empty());
}

}  // namespace
}  // namespace weft::formula
