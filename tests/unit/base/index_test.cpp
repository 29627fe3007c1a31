// SPDX-License-Identifier: BSD-3-Clause
#include "base/index.hpp"

#include <gtest/gtest.h>

namespace weft::test {
namespace {

TEST(Index, FindsTheNextSmoothLength) {
  Index smooth = 0;
  for (Index n = 1; n < 5000; ++n) {
    while (smooth < n || largest_prime_factor(smooth) > 5) ++smooth;
    EXPECT_EQ(next_smooth(n), smooth) << n;
  }
  EXPECT_EQ(next_smooth(2 * 268435456 - 1), Index(1) << 29);
  EXPECT_EQ(next_smooth(2 * Index(1000000007) - 1), 15 * (Index(1) << 27));
}

}  // namespace
}  // namespace weft::test
