// SPDX-License-Identifier: BSD-3-Clause
#include "formula/expand.hpp"

#include <gtest/gtest.h>

#include "support/matrices.hpp"

namespace weft::formula {
namespace {

TEST(ExpandBest, IsTerminalAndEqualsTheDft) {
  for (Index n = 1; n <= 64; ++n) {
    SCOPED_TRACE(n);
    const Formula best = expand_best(n);
    EXPECT_TRUE(best.is_terminal());
    expect_equal_matrices(best, dft(n), matrix_tolerance);
  }
}

}  // namespace
}  // namespace weft::formula
