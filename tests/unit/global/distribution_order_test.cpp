// SPDX-License-Identifier: BSD-3-Clause
#include "global/formula/distribution_order.hpp"

#include <gtest/gtest.h>

#include "formula/print.hpp"

namespace weft::global {
namespace {

TEST(ShortDirectSum, WritesWhatRepeatsOnce) {
  using namespace formula;
  const Formula a = dft(2), b = dft(3);
  EXPECT_EQ(print(short_direct_sum({a, a, b, a, a, b})), "I(2) x ((I(2) x DFT(2)) + DFT(3))");
  EXPECT_EQ(print(short_direct_sum({a, b})), "DFT(2) + DFT(3)");
  EXPECT_EQ(print(short_direct_sum({a})), "DFT(2)");
}

}  // namespace
}  // namespace weft::global
