// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

TEST(GoodThomas, EveryChoiceEqualsTheDftMatrix) {
  EXPECT_GT((proved_choices<Dft, good_thomas>(1, 48)), 0);
}

TEST(GoodThomas, NeedsCoprimeFactorsAndNoTwiddles) {
  EXPECT_TRUE(good_thomas({9}).empty());
  EXPECT_TRUE(good_thomas({16}).empty());
  EXPECT_EQ(good_thomas({12}).size(), 2u);  // 3 x 4 and 4 x 3, not 2 x 6
  const Formula product = good_thomas({15}).front();
  for (const Formula& factor : product.as<Compose>()->factors)
    EXPECT_TRUE(factor.as<Tensor>() || factor.as<Permutation>());
}

}  // namespace
}  // namespace weft::formula
