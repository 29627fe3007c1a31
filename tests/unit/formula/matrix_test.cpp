// SPDX-License-Identifier: BSD-3-Clause
#include "formula/matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/matrices.hpp"
#include "weft/error.hpp"

namespace weft::formula {
namespace {

void expect_matrix(const Formula& formula, const std::vector<Complex>& values) {
  const Matrix matrix = matrix_of(formula);
  ASSERT_EQ(matrix.values.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_LT(std::abs(matrix.values[i] - values[i]), matrix_tolerance) << i;
}

TEST(MatrixOf, DftIsTheDefinition) {
  const Complex i(0, 1);
  expect_matrix(dft(4), {1, 1, 1, 1, 1, -i, -1, i, 1, -1, 1, -1, 1, i, -1, -i});
}

TEST(MatrixOf, HalfSpectraAreRowsOfTheDftAndComeBack) {
  for (Index n = 1; n <= 9; ++n) {
    const Matrix whole = matrix_of(dft(n)), half = matrix_of(half_dft(n));
    ASSERT_EQ(half.rows, n / 2 + 1);
    for (Index k = 0; k < half.rows; ++k)
      for (Index j = 0; j < n; ++j) EXPECT_EQ(half(k, j), whole(k, j));
    const Matrix back = matrix_of(compose({inverse_half_dft(n), half_dft(n)}));
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        EXPECT_NEAR(static_cast<double>(back(i, j).real()), i == j ? static_cast<double>(n) : 0.0,
                    1e-15)
            << n;
  }
}

TEST(MatrixOf, CyclicReversalTurnsTheDftAround) {
  for (Index n = 1; n <= 9; ++n) {
    const Matrix forward = matrix_of(dft(n)),
                 backward = matrix_of(compose({cyclic_reversal(n), dft(n)}));
    for (std::size_t i = 0; i < forward.values.size(); ++i)
      EXPECT_LT(std::abs(backward.values[i] - std::conj(forward.values[i])), matrix_tolerance);
  }
}

TEST(MatrixOf, StridePermutationReadsAtItsStride) {
  // L(6,2) x = (x0, x2, x4, x1, x3, x5)
  EXPECT_EQ(multiply(stride_permutation(6, 2), {0, 1, 2, 3, 4, 5}),
            (std::vector<Complex>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(multiply(permutation({2, 0, 1}), {5, 6, 7}), (std::vector<Complex>{7, 5, 6}));
}

TEST(MatrixOf, TwiddlesAreRootsAtRowTimesColumn) {
  const Complex i(0, 1);
  expect_matrix(twiddles(4, 2), {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -i});
}

TEST(MatrixOf, TensorReplacesEntriesByBlocks) {
  expect_matrix(tensor({dense(1, 2, {2, 3}), dense(2, 1, {1, 5})}), {2, 3, 10, 15});
  expect_matrix(direct_sum({dense(1, 2, {1, 2}), identity(1)}), {1, 2, 0, 0, 0, 1});
  expect_matrix(compose({dense(1, 2, {1, 2}), dense(2, 1, {3, 4})}), {11});
}

TEST(MatrixOf, RealDftPacksTheHalfSpectrum) {
  const long double h = std::sqrt(3.0L) / 2;
  expect_matrix(real_dft(3), {1, 1, 1, 1, -0.5L, -0.5L, 0, -h, h});
  expect_matrix(real_dft(2), {1, 1, 1, -1});
}

TEST(MatrixOf, InverseRealDftUndoesTheRealDft) {
  for (Index n = 1; n <= 12; ++n)
    expect_equal_matrices(compose({inverse_real_dft(n), real_dft(n)}),
                          diagonal(std::vector<Complex>(n, static_cast<long double>(n))),
                          matrix_tolerance);
}

TEST(MatrixOf, TrigonometricTransformsFollowTheirSums) {
  const long double pi = std::numbers::pi_v<long double>;
  const std::vector<Complex> x{1, -2, 4};
  const auto expect_first = [&](TrigonometricKind kind, long double sum) {
    EXPECT_LT(std::abs(multiply(trigonometric(kind, 3), x)[1] - sum), matrix_tolerance);
  };
  expect_first(TrigonometricKind::dct1, 1 + 2 * -2 * std::cos(pi / 2) - 4);
  expect_first(TrigonometricKind::dct2,
               2 * (std::cos(pi / 6) - 2 * std::cos(pi / 2) + 4 * std::cos(5 * pi / 6)));
  expect_first(TrigonometricKind::dct3, 1 + 2 * (-2 * std::cos(pi / 2) + 4 * std::cos(pi)));
  expect_first(TrigonometricKind::dct4,
               2 * (std::cos(pi / 4) - 2 * std::cos(3 * pi / 4) + 4 * std::cos(5 * pi / 4)));
  expect_first(TrigonometricKind::dst1,
               2 * (std::sin(pi / 2) - 2 * std::sin(pi) + 4 * std::sin(3 * pi / 2)));
  expect_first(TrigonometricKind::dst2,
               2 * (std::sin(pi / 3) - 2 * std::sin(pi) + 4 * std::sin(5 * pi / 3)));
  expect_first(TrigonometricKind::dst3,
               2 * (std::sin(pi / 2) - 2 * std::sin(pi)) + 4 * std::sin(3 * pi / 2));
  expect_first(TrigonometricKind::dst4,
               2 * (std::sin(pi / 4) - 2 * std::sin(3 * pi / 4) + 4 * std::sin(5 * pi / 4)));
}

TEST(TangentScale, LeavesTwiddlesWithAPartOfOne) {
  EXPECT_EQ(tangent_scale(4, 3), 1);
  EXPECT_LT(std::abs(tangent_scale(8, 1) - std::sqrt(0.5L)), matrix_tolerance);
  for (Index k = 0; k < 16; ++k) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / 64;
    const long double ratio = tangent_scale(16, k) / tangent_scale(64, k);
    const long double larger = std::max(std::cos(angle), std::sin(angle)) * ratio;
    EXPECT_LT(std::abs(larger - 1), matrix_tolerance) << k;
  }
}

TEST(Multiply, RefusesAVectorOfAnotherLength) { EXPECT_THROW(multiply(dft(4), {1, 2}), Error); }

}  // namespace
}  // namespace weft::formula
