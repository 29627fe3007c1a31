// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "formula/expand.hpp"
#include "formula/operation_count.hpp"
#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

TEST(SymmetricPrime, EveryChoiceEqualsTheDftMatrix) {
  EXPECT_GT((proved_choices<Dft, symmetric_prime>(1, 48)), 0);
}

TEST(SymmetricPrime, CostsWhatTheBestKernelsCost) {
  const auto cost = [](Index p) { return operation_count(expand_best(p)); };
  EXPECT_EQ(cost(3), (OperationCount{12, 4, 4}));
  EXPECT_EQ(cost(5), (OperationCount{32, 12, 12}));
  EXPECT_EQ(cost(7), (OperationCount{60, 36, 36}));
  EXPECT_EQ(cost(11), (OperationCount{140, 100, 100}));
  EXPECT_EQ(cost(13), (OperationCount{168, 108, 108}));
}

}  // namespace
}  // namespace weft::formula
