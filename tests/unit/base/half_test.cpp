// SPDX-License-Identifier: BSD-3-Clause
#include "base/half.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace weft::test {
namespace {

TEST(Half, HoldsEveryFiniteNumberExactly) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7c00) == 0x7c00) continue;  // not finite
    EXPECT_EQ(to_half(from_half(static_cast<std::uint16_t>(bits))), bits);
  }
  EXPECT_EQ(from_half(0x3c00), 1.0);
  EXPECT_EQ(from_half(0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(from_half(0xfbff), -65504.0);
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
  const double step = std::ldexp(1.0, -10);  // above 1
  EXPECT_EQ(to_half(1 + 0.49 * step), 0x3c00);
  EXPECT_EQ(to_half(1 + 0.5 * step), 0x3c00);
  EXPECT_EQ(to_half(1 + 1.5 * step), 0x3c02);
  EXPECT_EQ(to_half(2 - 0.1 * step), 0x4000);  // up into the next power of two
  EXPECT_EQ(to_half(std::ldexp(1.0, -26)), 0);
}

}  // namespace
}  // namespace weft::test
