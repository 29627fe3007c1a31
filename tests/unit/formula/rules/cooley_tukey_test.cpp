// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

TEST(CooleyTukey, EveryChoiceEqualsTheDftMatrix) {
  EXPECT_GT((proved_choices<Dft, cooley_tukey>(1, 48)), 0);
}

TEST(CooleyTukey, SplitsIntoEveryPairOfFactors) {
  EXPECT_EQ(cooley_tukey({12}).size(), 4u);
  EXPECT_TRUE(cooley_tukey({13}).empty());
  EXPECT_TRUE(cooley_tukey({1}).empty());
}

}  // namespace
}  // namespace weft::formula
