// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>

#include "weft/distribution.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

constexpr Index large = Index{1} << 32;

TEST(Box, IsEmptyWhereAnyExtentIsNotPositive) {
  EXPECT_TRUE(Box{}.empty());
  EXPECT_TRUE(Box({0, 0}, {4, 0}).empty());
  EXPECT_TRUE(Box({0, 7}, {4, 3}).empty());
  EXPECT_TRUE(Box({large, 0}, {0, large}).empty());
  EXPECT_FALSE(Box({3, 3}, {4, 4}).empty());
  EXPECT_EQ(Box({0, 7}, {4, 3}).count(), 0);
  EXPECT_EQ(Box{}.count(), 0);
}

TEST(Box, OfMoreElementsThan64BitsCountIsNotEmpty) {
  const Box box({0, 0, 0}, {large, large, 1});
  EXPECT_FALSE(box.empty());
  EXPECT_THROW(box.count(), Error);
  EXPECT_EQ(Box({0, 0, 0}, {large, large, 0}).count(), 0);
}

TEST(Distribution, HugeGridsAndBlocksLeaveTheOtherRanksNothing) {
  const std::vector<Index> shape{6, 5, 4};
  const Grid grid(3, 1 << 21);
  EXPECT_EQ(bricks(shape, grid, 0).size(), 1U);
  EXPECT_TRUE(bricks(shape, grid, std::numeric_limits<int>::max()).empty());
  const std::vector<Index> block(3, std::numeric_limits<Index>::max() / 2);
  EXPECT_EQ(block_cyclic(shape, {2, 2, 2}, block, 0).size(), 1U);
  for (int rank = 1; rank < 8; ++rank)
    EXPECT_TRUE(block_cyclic(shape, {2, 2, 2}, block, rank).empty());
}

}  // namespace
}  // namespace weft
