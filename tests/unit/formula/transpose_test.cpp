// SPDX-License-Identifier: BSD-3-Clause
#include "formula/transpose.hpp"

#include <gtest/gtest.h>

#include "formula/expand.hpp"
#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"
#include "weft/error.hpp"

namespace weft::formula {
namespace {

std::vector<Formula> formulas_to_transpose() {
  std::vector<Formula> result{dft(6),
                              real_dft(7),
                              real_dft(8),
                              inverse_real_dft(7),
                              inverse_real_dft(8),
                              dht(5),
                              stride_permutation(12, 3),
                              permutation({2, 0, 1}),
                              twiddles(12, 4),
                              dense(2, 3, {1, 2, Complex(0, 3), 4, 5, 6}),
                              sparse(4, {{{3, Complex(1, 2)}}, {{0, 1}, {2, -1}}}),
                              tensor({dft(2), identity(3), twiddles(4, 2)}),
                              direct_sum({dft(3), dense(1, 2, {1, Complex(2, 1)})}),
                              cooley_tukey({12}).front(),
                              rader({7}).front(),
                              bluestein({5}).front()};
  for (int kind = 0; kind < 8; ++kind)
    for (Index n : {4, 5}) result.push_back(trigonometric(static_cast<TrigonometricKind>(kind), n));
  return result;
}

TEST(Transpose, SwapsRowsAndColumnsOfTheMatrix) {
  for (const Formula& formula : formulas_to_transpose()) {
    const Matrix matrix = matrix_of(formula), transposed = matrix_of(transpose(formula));
    ASSERT_EQ(transposed.rows, matrix.columns);
    ASSERT_EQ(transposed.columns, matrix.rows);
    for (Index i = 0; i < matrix.rows; ++i)
      for (Index j = 0; j < matrix.columns; ++j)
        EXPECT_LT(std::abs(matrix(i, j) - transposed(j, i)), matrix_tolerance);
  }
}

TEST(Conjugate, ConjugatesEveryEntry) {
  for (const Formula& formula : formulas_to_transpose()) {
    Matrix matrix = matrix_of(formula);
    for (Complex& value : matrix.values) value = std::conj(value);
    EXPECT_LT(max_difference(matrix_of(conjugate(formula)), matrix), matrix_tolerance);
  }
}

TEST(Adjoint, OfTheDftIsItsInverseTimesN) {
  expect_equal_matrices(compose({adjoint(cooley_tukey({15}).front()), dft(15)}),
                        diagonal(std::vector<Complex>(15, 15)), matrix_tolerance);
}

TEST(Transpose, RefusesAScaledDft) { EXPECT_THROW(transpose(scaled_dft(8, 1)), Error); }

}  // namespace
}  // namespace weft::formula
