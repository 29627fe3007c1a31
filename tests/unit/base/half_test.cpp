// SPDX-License-Identifier: BSD-3-Clause
// binary16 against conversion by arithmetic.
#include "base/half.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "support/half.hpp"

namespace weft {
namespace {

TEST(HalfNumber, WidensEveryHalfExactly) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    const float wide = HalfNumber::widen(half);
    const double wanted = test::half_to_double(half);
    if (std::isnan(wanted)) {
      ASSERT_TRUE(std::isnan(wide)) << bits;
      continue;
    }
    ASSERT_EQ(wide, wanted) << bits;
    ASSERT_EQ(std::signbit(wide), std::signbit(wanted)) << bits;
    ASSERT_EQ(HalfNumber::narrow(wide), half) << bits;
  }
}

TEST(HalfNumber, NarrowsToTheNearest) {
  std::mt19937 random(41);
  for (int i = 0; i < 300'000; ++i) {
    // All floats, then those near halves and near the middle between two.
    auto bits = static_cast<std::uint32_t>(random());
    if (i % 2 == 1) {
      const Half half{static_cast<std::uint16_t>(bits & 0xfbffu)};
      bits = std::bit_cast<std::uint32_t>(HalfNumber::widen(half)) + (bits >> 31) * 0x1000u;
      bits += random() % 3 - 1;
    }
    const auto value = std::bit_cast<float>(bits);
    ASSERT_EQ(HalfNumber::narrow(value), test::double_to_half(static_cast<double>(value)))
        << value << " " << bits;
  }
}

}  // namespace
}  // namespace weft
