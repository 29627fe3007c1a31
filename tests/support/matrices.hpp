// SPDX-License-Identifier: BSD-3-Clause
// Proofs by matrix equality for tests of formulas.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "formula/matrix.hpp"

namespace weft::formula {

/// The entries are sums of at most a few hundred products of long doubles near 1.
inline constexpr long double matrix_tolerance = 1e-16L;

inline void expect_equal_matrices(const Formula& a, const Formula& b, long double tolerance) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.columns(), b.columns());
  EXPECT_LT(max_difference(matrix_of(a), matrix_of(b)), tolerance);
}

/// Proves every formula that the rule gives for sizes first..last. Returns their number, so that a
/// test can check that there were any.
template <class Transform, std::vector<Formula> (*rule)(const Transform&)>
int proved_choices(Index first, Index last) {
  int count = 0;
  for (Index n = first; n <= last; ++n)
    for (const Formula& choice : rule(Transform{n})) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", choice " + std::to_string(count));
      expect_equal_matrices(choice, Transform{n}, matrix_tolerance);
      ++count;
    }
  return count;
}

}  // namespace weft::formula
