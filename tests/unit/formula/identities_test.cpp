// SPDX-License-Identifier: BSD-3-Clause
#include "formula/identities.hpp"

#include <gtest/gtest.h>

#include "formula/print.hpp"
#include "formula/rewrite.hpp"
#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

Formula l(Index n, Index stride) { return stride_permutation(n, stride); }

const std::vector<Formula>& factors(const Formula& product) {
  return product.as<Compose>()->factors;
}

/// Every L(n,s) of a few sizes with every divisor of its size as parameter.
template <class Check>
void for_strides(Check check) {
  for (Index n : {1, 6, 8, 12, 30, 36})
    for (Index stride = 1; stride <= n; ++stride)
      for (Index k = 1; k <= n; ++k)
        if (n % stride == 0 && n % k == 0) check(StridePermutation{n, stride}, k);
}

TEST(FactorLength, IsIdentityElevenAndMergesBack) {
  int count = 0;
  for_strides([&](StridePermutation permutation, Index k) {
    const auto product = factor_length(permutation, k);
    EXPECT_EQ(product.has_value(), (permutation.n / permutation.stride) % k == 0);
    if (!product) return;
    ++count;
    expect_equal_matrices(*product, permutation, matrix_tolerance);
    const auto merged = merge_length(factors(*product)[0], factors(*product)[1]);
    ASSERT_TRUE(merged.has_value()) << print(*product);
    EXPECT_EQ(*merged, Formula(permutation));
  });
  EXPECT_GT(count, 50);
}

TEST(FactorStride, IsIdentityTwelveAndMergesBack) {
  int count = 0;
  for_strides([&](StridePermutation permutation, Index k) {
    const auto product = factor_stride(permutation, k);
    EXPECT_EQ(product.has_value(), permutation.stride % k == 0);
    if (!product) return;
    ++count;
    expect_equal_matrices(*product, permutation, matrix_tolerance);
    const auto merged = merge_stride(factors(*product)[0], factors(*product)[1]);
    ASSERT_TRUE(merged.has_value()) << print(*product);
    EXPECT_EQ(*merged, Formula(permutation));
  });
  EXPECT_GT(count, 50);
}

TEST(Merge, RefusesNeighboursThatDoNotFit) {
  EXPECT_FALSE(merge_length(tensor({l(6, 2), identity(2)}), tensor({identity(2), l(6, 3)})));
  EXPECT_FALSE(merge_stride(tensor({identity(2), l(6, 3)}), tensor({l(6, 3), identity(2)})));
  EXPECT_FALSE(merge_length(dft(6), l(6, 2)));
}

TEST(SplitInTwoStrides, IsIdentityThirteen) {
  for_strides([&](StridePermutation permutation, Index m) {
    if (const auto product = split_in_two_strides(permutation, m)) {
      expect_equal_matrices(*product, permutation, matrix_tolerance);
      EXPECT_EQ(normal_form(*product), normal_form(permutation));
    }
  });
  EXPECT_TRUE(split_in_two_strides({12, 2}, 3));
}

TEST(SwapFactors, IsIdentityNineAndSwapsBack) {
  const Formula product = tensor({dft(2), twiddles(6, 2)});
  const auto swapped = swap_factors(product);
  ASSERT_TRUE(swapped.has_value());
  EXPECT_EQ(print(*swapped), "L(12,2) . (T(6,2) x DFT(2)) . L(12,6)");
  expect_equal_matrices(*swapped, product, matrix_tolerance);
  const auto& f = factors(*swapped);
  const auto back = unswap_factors(f[0], f[1], f[2]);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(*back, product);
  EXPECT_FALSE(unswap_factors(f[2], f[1], f[0]));
  EXPECT_FALSE(swap_factors(dft(4)));
}

TEST(GroupParallel, IsIdentityFive) {
  const Formula product = compose({tensor({identity(4), dft(3)}), tensor({identity(2), l(6, 2)}),
                                   tensor({identity(2), dft(3), identity(2)})});
  const auto grouped = group_parallel(product, 2);
  ASSERT_TRUE(grouped.has_value());
  EXPECT_EQ(print(*grouped), "I(2) x ((I(2) x DFT(3)) . L(6,2) . (DFT(3) x I(2)))");
  expect_equal_matrices(*grouped, product, matrix_tolerance);
  EXPECT_FALSE(group_parallel(product, 4));
}

TEST(GroupVectors, IsIdentitySix) {
  const Formula product =
      compose({tensor({dft(3), identity(4)}), tensor({l(6, 2), identity(2)}), identity(12)});
  const auto grouped = group_vectors(product, 2);
  ASSERT_TRUE(grouped.has_value());
  EXPECT_EQ(print(*grouped), "((DFT(3) x I(2)) . L(6,2) . I(6)) x I(2)");
  expect_equal_matrices(*grouped, product, matrix_tolerance);
  EXPECT_FALSE(group_vectors(product, 4));
}

TEST(MoveDiagonal, CarriesItThroughAPermutationBothWays) {
  for (const Formula& permutation : {tensor({identity(2), l(6, 3), identity(2)}), l(24, 4)}) {
    const auto left = move_diagonal_left(permutation, twiddles(24, 6));
    ASSERT_TRUE(left.has_value());
    expect_equal_matrices(*left, compose({permutation, twiddles(24, 6)}), matrix_tolerance);
    const auto right = move_diagonal_right(factors(*left)[0], permutation);
    ASSERT_TRUE(right.has_value());
    expect_equal_matrices(*right, compose({permutation, twiddles(24, 6)}), matrix_tolerance);
  }
  EXPECT_FALSE(move_diagonal_left(dft(4), twiddles(4, 2)));
  EXPECT_FALSE(move_diagonal_left(l(4, 2), dft(4)));
}

TEST(BlockTransposition, IsEquationSeventeenAndTransposedEighteen) {
  const Index m = 6, n = 4, p = 2;
  const StridePermutation whole{m * n, m};
  EXPECT_EQ(print(*block_transposition(whole, p)),
            "(I(2) x L(12,3)) . (L(4,2) x I(6)) . (I(2) x L(4,2) x I(3))");
  EXPECT_EQ(print(*block_transposition_transposed(whole, p)),
            "(I(2) x L(6,3) x I(2)) . (L(4,2) x I(6)) . (I(2) x L(12,6))");
  for (const auto& [size, stride, ranks] :
       {std::tuple{24, 6, 2}, {16, 4, 4}, {16, 8, 2}, {32, 4, 2}, {36, 6, 3}, {12, 3, 1}}) {
    for (auto form : {block_transposition, block_transposition_transposed}) {
      const auto product = form({size, stride}, ranks);
      ASSERT_TRUE(product.has_value());
      expect_equal_matrices(*product, l(size, stride), matrix_tolerance);
    }
  }
  EXPECT_FALSE(block_transposition({24, 6}, 4));  // 4 does not divide 6
}

}  // namespace
}  // namespace weft::formula
