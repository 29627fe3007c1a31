// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

TEST(RealTwoStage, EveryChoiceEqualsTheRealDftMatrix) {
  EXPECT_GT((proved_choices<RealDft, real_two_stage>(1, 48)), 0);
}

TEST(RealTwoStage, EveryChoiceEqualsTheInverseRealDftMatrix) {
  EXPECT_GT((proved_choices<InverseRealDft, real_two_stage>(1, 48)), 0);
}

TEST(RealTwoStage, NeedsAnOddSecondFactor) {
  EXPECT_TRUE(real_two_stage(RealDft{16}).empty());
  EXPECT_EQ(real_two_stage(RealDft{12}).size(), 1u);  // 4 x 3
  EXPECT_EQ(real_two_stage(RealDft{9}).size(), 1u);
}

}  // namespace
}  // namespace weft::formula
