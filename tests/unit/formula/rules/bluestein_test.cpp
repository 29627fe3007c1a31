// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

TEST(Bluestein, EveryChoiceEqualsTheDftMatrix) {
  EXPECT_GT((proved_choices<Dft, bluestein>(1, 28)), 0);
}

TEST(Bluestein, PadsToConvenientLengths) {
  const auto choices = bluestein({23});  // 2n - 1 = 45, which is smooth; then 64
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_EQ(choices[0].as<Compose>()->factors[2], dft(45));
  EXPECT_EQ(choices[1].as<Compose>()->factors[2], dft(64));
}

}  // namespace
}  // namespace weft::formula
