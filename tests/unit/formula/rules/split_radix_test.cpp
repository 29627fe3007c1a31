// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "formula/expand.hpp"
#include "formula/operation_count.hpp"
#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

TEST(SplitRadix, EveryChoiceEqualsTheDftMatrix) {
  EXPECT_GT((proved_choices<Dft, split_radix>(1, 48)), 0);
}

TEST(SplitRadix, OffersConjugatePairAndClassicalForm) {
  EXPECT_TRUE(split_radix({6}).empty());
  EXPECT_EQ(split_radix({12}).size(), 2u);
}

TEST(SplitRadix, CostsTheKnownMinimumAndEveryProductCanBeFused) {
  Index log = 2;
  for (Index n = 4; n <= 128; n *= 2, ++log) {
    const OperationCount count = operation_count(expand_best(n));
    EXPECT_EQ(count.total(), 4 * n * log - 6 * n + 8) << n;
    EXPECT_EQ(count.absorbed, count.multiplications) << n;
  }
}

}  // namespace
}  // namespace weft::formula
