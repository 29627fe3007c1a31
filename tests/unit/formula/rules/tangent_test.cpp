// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "formula/expand.hpp"
#include "formula/operation_count.hpp"
#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

TEST(Tangent, EveryLevelEqualsTheDftWithScaledRows) {
  for (Index n = 1; n <= 64; n *= 2)
    for (int level : {0, 1, 2, 4}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", level " << level);
      const auto choices = tangent(ScaledDft{n, level});
      ASSERT_EQ(choices.size(), 1u);
      expect_equal_matrices(choices.front(), scaled_dft(n, level), matrix_tolerance);
    }
}

TEST(Tangent, LevelZeroIsTheDft) {
  EXPECT_GT((proved_choices<Dft, tangent>(1, 64)), 0);
  EXPECT_TRUE(tangent(Dft{12}).empty());
}

TEST(Tangent, SavesOperationsFrom64PointsOn) {
  const auto total = [](Index n) {
    return operation_count(expand_best(n, Objective::operations)).total();
  };
  EXPECT_EQ(total(16), 168);
  EXPECT_EQ(total(32), 456);
  EXPECT_EQ(total(64), 1152);   // split radix: 1160
  EXPECT_EQ(total(128), 2792);  // split radix: 2824
}

}  // namespace
}  // namespace weft::formula
