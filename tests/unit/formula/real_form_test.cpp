// SPDX-License-Identifier: BSD-3-Clause
#include "formula/real_form.hpp"

#include <gtest/gtest.h>

#include "formula/expand.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

void expect_real_form(const Formula& formula) {
  const Matrix matrix = matrix_of(formula), real = matrix_of(real_form(formula));
  ASSERT_EQ(real.rows, 2 * matrix.rows);
  ASSERT_EQ(real.columns, 2 * matrix.columns);
  for (Index i = 0; i < matrix.rows; ++i)
    for (Index j = 0; j < matrix.columns; ++j) {
      const Complex value = matrix(i, j);
      EXPECT_LT(std::abs(real(2 * i, 2 * j) - value.real()), matrix_tolerance);
      EXPECT_LT(std::abs(real(2 * i + 1, 2 * j + 1) - value.real()), matrix_tolerance);
      EXPECT_LT(std::abs(real(2 * i + 1, 2 * j) - value.imag()), matrix_tolerance);
      EXPECT_LT(std::abs(real(2 * i, 2 * j + 1) + value.imag()), matrix_tolerance);
    }
}

TEST(RealForm, ReplacesEveryEntryByItsRotationBlock) {
  for (Index n = 1; n <= 20; ++n) expect_real_form(expand_best(n));
  expect_real_form(tensor({twiddles(4, 2), dense(2, 3, {1, 0, Complex(0, 1), 2, 3, Complex(1, 1)}),
                           dense(1, 2, {Complex(0, 1), 1})}));
}

TEST(RealForm, OfARealFormulaIsItsTensorProductWithTwo) {
  EXPECT_TRUE(is_real(stride_permutation(6, 2)));
  EXPECT_FALSE(is_real(twiddles(6, 2)));
  EXPECT_EQ(real_form(stride_permutation(6, 2)), tensor({stride_permutation(6, 2), identity(2)}));
}

}  // namespace
}  // namespace weft::formula
