// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

TEST(Rader, EveryChoiceEqualsTheDftMatrix) { EXPECT_GT((proved_choices<Dft, rader>(1, 48)), 0); }

TEST(Rader, AppliesToOddPrimes) {
  EXPECT_TRUE(rader({2}).empty());
  EXPECT_TRUE(rader({15}).empty());
  EXPECT_EQ(rader({17}).size(), 1u);
}

}  // namespace
}  // namespace weft::formula
