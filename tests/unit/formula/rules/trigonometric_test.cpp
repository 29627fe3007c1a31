// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

constexpr TrigonometricKind all_kinds[] = {TrigonometricKind::dct1, TrigonometricKind::dct2,
                                           TrigonometricKind::dct3, TrigonometricKind::dct4,
                                           TrigonometricKind::dst1, TrigonometricKind::dst2,
                                           TrigonometricKind::dst3, TrigonometricKind::dst4};

TEST(Trigonometric, EveryChoiceEqualsTheTransformsMatrix) {
  for (TrigonometricKind kind : all_kinds)
    for (Index n = kind == TrigonometricKind::dct1 ? 2 : 1; n <= 40; ++n) {
      SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", n = " << n);
      const auto choices = reduce_trigonometric({kind, n});
      ASSERT_FALSE(choices.empty());
      for (const Formula& choice : choices)
        expect_equal_matrices(choice, trigonometric(kind, n), matrix_tolerance);
    }
}

TEST(Trigonometric, InversePairsGiveTheIdentityTimesTwoN) {
  const auto expect_pair = [](TrigonometricKind a, TrigonometricKind b, Index n, Index scale) {
    expect_equal_matrices(compose({trigonometric(a, n), trigonometric(b, n)}),
                          diagonal(std::vector<Complex>(n, static_cast<long double>(scale))),
                          10 * matrix_tolerance);
  };
  for (Index n : {2, 5, 8, 9}) {
    expect_pair(TrigonometricKind::dct1, TrigonometricKind::dct1, n, 2 * (n - 1));
    expect_pair(TrigonometricKind::dct2, TrigonometricKind::dct3, n, 2 * n);
    expect_pair(TrigonometricKind::dct4, TrigonometricKind::dct4, n, 2 * n);
    expect_pair(TrigonometricKind::dst1, TrigonometricKind::dst1, n, 2 * (n + 1));
    expect_pair(TrigonometricKind::dst2, TrigonometricKind::dst3, n, 2 * n);
    expect_pair(TrigonometricKind::dst4, TrigonometricKind::dst4, n, 2 * n);
  }
}

TEST(Hartley, EqualsTheTransformsMatrix) {
  EXPECT_EQ((proved_choices<Dht, reduce_hartley>(1, 40)), 40);
}

}  // namespace
}  // namespace weft::formula
