// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "formula/expand.hpp"
#include "formula/operation_count.hpp"
#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

TEST(RealSplitRadix, EveryChoiceEqualsTheRealDftMatrix) {
  EXPECT_GT((proved_choices<RealDft, real_split_radix>(1, 48)), 0);
}

TEST(RealSplitRadix, EveryChoiceEqualsTheInverseRealDftMatrix) {
  EXPECT_GT((proved_choices<InverseRealDft, real_split_radix>(1, 48)), 0);
}

TEST(RealSplitRadix, CostsHalfOfTheComplexTransform) {
  const auto cost = [](Index n) { return operation_count_on_reals(expand_best(real_dft(n))); };
  EXPECT_EQ(cost(8), (OperationCount{20, 2, 2}));
  EXPECT_EQ(cost(16), (OperationCount{58, 12, 12}));
  EXPECT_EQ(cost(32), (OperationCount{156, 42, 42}));
  EXPECT_EQ(cost(64), (OperationCount{394, 124, 124}));
}

}  // namespace
}  // namespace weft::formula
