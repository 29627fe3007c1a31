// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "formula/expand.hpp"
#include "formula/operation_count.hpp"
#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

TEST(PairedCooleyTukey, EveryChoiceEqualsTheDftMatrix) {
  EXPECT_GT((proved_choices<Dft, paired_cooley_tukey>(1, 48)), 0);
}

TEST(PairedCooleyTukey, MeltsTheTwiddleScalesIntoTheKernel) {
  EXPECT_EQ(operation_count(expand_best(9)), (OperationCount{80, 36, 36}));
  EXPECT_EQ(operation_count(expand_best(25)), (OperationCount{352, 184, 184}));
}

}  // namespace
}  // namespace weft::formula
