// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

TEST(RealPrime, EveryChoiceEqualsTheRealDftMatrix) {
  EXPECT_GT((proved_choices<RealDft, real_prime>(1, 48)), 0);
}

TEST(RealPrime, EveryChoiceEqualsTheInverseRealDftMatrix) {
  EXPECT_GT((proved_choices<InverseRealDft, real_prime>(1, 48)), 0);
}

}  // namespace
}  // namespace weft::formula
