// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

TEST(SixStep, EveryChoiceEqualsTheDftMatrix) {
  EXPECT_GT((proved_choices<Dft, six_step>(1, 48)), 0);
}

TEST(SixStep, WorksOnContiguousRowsBetweenThreeTranspositions) {
  EXPECT_EQ(
      six_step({6}).front(),
      compose({stride_permutation(6, 2), tensor({identity(3), dft(2)}), stride_permutation(6, 3),
               twiddles(6, 3), tensor({identity(2), dft(3)}), stride_permutation(6, 2)}));
}

}  // namespace
}  // namespace weft::formula
