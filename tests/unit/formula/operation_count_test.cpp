// SPDX-License-Identifier: BSD-3-Clause
#include "formula/operation_count.hpp"

#include <gtest/gtest.h>

namespace weft::formula {
namespace {

const Formula butterfly = dense(2, 2, {1, 1, 1, -1});

TEST(OperationCount, TakesUnitsForFree) {
  EXPECT_EQ(operation_count(diagonal({1, -1, Complex(0, 1), Complex(0, -1)})), OperationCount{});
  EXPECT_EQ(operation_count(stride_permutation(12, 3)), OperationCount{});
}

TEST(OperationCount, CountsAComplexProductAsFourAndTwo) {
  EXPECT_EQ(operation_count(diagonal({Complex(0.6L, 0.8L)})), (OperationCount{2, 4, 2}));
  EXPECT_EQ(operation_count_on_reals(diagonal({Complex(0.6L, 0.8L)})), (OperationCount{0, 2, 0}));
}

TEST(OperationCount, CountsEqualExpressionsOnce) {
  const Formula twice = dense(2, 2, {1, 1, -1, -1});
  EXPECT_EQ(operation_count(twice), (OperationCount{2, 0, 0}));
  EXPECT_EQ(operation_count(compose({butterfly, butterfly})).multiplications, 0);
}

TEST(OperationCount, LeavesOutWhatNoOutputNeeds) {
  const Formula first = sparse(2, {{{0, 1}}});
  EXPECT_EQ(operation_count(compose({first, butterfly})), (OperationCount{2, 0, 0}));
}

TEST(OperationCount, FusesAProductIntoAllOfItsAdditions) {
  const Formula scaled = compose({butterfly, diagonal({1, 0.3L})});
  EXPECT_EQ(operation_count_on_reals(scaled), (OperationCount{2, 1, 1}));
  const Formula both = dense(1, 2, {0.3L, 0.7L});  // one of the two products stands alone
  EXPECT_EQ(operation_count_on_reals(both), (OperationCount{1, 2, 1}));
}

}  // namespace
}  // namespace weft::formula
