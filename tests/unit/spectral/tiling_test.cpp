// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/tiling.hpp"

#include <gtest/gtest.h>

namespace weft::spectral {
namespace {

Tiling tiling_in(const Transform& transform, std::vector<Index> spectrum, std::vector<int> inside,
                 double bytes) {
  return tiling_of(transform, spectrum, 1, std::move(inside), bytes);
}

TEST(Tiling, HoldsAsManyTransformsAsFit) {
  const Transform transform = c2c({10, 16, 16}, {.axes = {1, 2}});
  EXPECT_TRUE(fits(transform, {10, 16, 16}, 1, 16 * 16 * 16));
  EXPECT_FALSE(fits(transform, {10, 16, 16}, 2, 16 * 16 * 16));
  const Tiling tiling = tiling_in(transform, {10, 16, 16}, {1, 2}, 3 * 16 * 16 * 16);
  EXPECT_EQ(tiling.outside, std::vector<int>{});
  EXPECT_EQ(tiling.extents, (std::vector<Index>{3, 16, 16}));
  EXPECT_EQ(tiling.cut, 0);
}

TEST(Tiling, CutsTheFastestDimensionOfColumns) {
  const Tiling tiling =
      tiling_in(c2c({64, 64, 64}, {.axes = {0, 1, 2}}), {64, 64, 64}, {0}, 64 * 16 * 16);
  EXPECT_EQ(tiling.outside, (std::vector<int>{1, 2}));
  EXPECT_EQ(tiling.extents, (std::vector<Index>{64, 1, 16}));
  EXPECT_EQ(tiling.cut, 2);
}

TEST(Tiling, HasTheFunctionAloneInside) {
  const Tiling tiling = tiling_in(c2c({6, 8, 16}, {.axes = {0, 1, 2}}), {6, 8, 16}, {}, 3 * 256);
  EXPECT_EQ(tiling.extents, (std::vector<Index>{1, 3, 16}));
  EXPECT_EQ(tiling.cut, 1);
}

TEST(Tiling, NeverHasTheHalvedAxisForTheSlowest) {
  EXPECT_EQ(slowest_axis(r2c({64, 64}, {.axes = {1, 0}})), 1);
  EXPECT_EQ(slowest_axis(c2c({64, 64}, {.axes = {1, 0}})), 0);
}

TEST(Tiling, CountsItsTiles) {
  const Tiling tiling =
      tiling_in(c2c({3, 8, 100}, {.axes = {0, 1, 2}}), {3, 8, 100}, {1}, 8 * 40 * 16);
  const TileBoxes boxes({3, 8, 100}, tiling);
  EXPECT_EQ(boxes.extents(false), (std::vector<Index>{1, 8, 36}));
  EXPECT_EQ(boxes.extents(true), (std::vector<Index>{1, 8, 28}));
  EXPECT_EQ(boxes.count(), 9);
  EXPECT_FALSE(boxes.place(7).is_rest);
  EXPECT_TRUE(boxes.place(8).is_rest);
  EXPECT_EQ(boxes.place(8).begin[0], 2);
  EXPECT_EQ(boxes.place(8).begin[2], 72);
}

TEST(Tiling, TakesWholeCacheLinesHoweverSmallTheCache) {
  const Tiling tiling = tiling_in(c2c({4096, 64}, {.axes = {0, 1}}), {4096, 64}, {0}, 100);
  EXPECT_EQ(tiling.extents, (std::vector<Index>{4096, 4}));
}

TEST(Tiling, LeavesNoSmallRest) {
  const auto part = [](Index all, double room) {
    return tiling_in(c2c({8, all}, {.axes = {0, 1}}), {8, all}, {0}, room * 8 * 16).extents[1];
  };
  EXPECT_EQ(part(129, 128), 129);
  EXPECT_EQ(part(260, 128), 88);  // 88, 88 and 84
  EXPECT_EQ(part(256, 128), 128);
}

TEST(Tiling, TakesWholeFastDimensionsFirst) {
  const Tiling tiling =
      tiling_in(c2c({8, 100, 6}, {.axes = {0, 1, 2}}), {8, 100, 6}, {0}, 8 * 6 * 16 * 9);
  EXPECT_EQ(tiling.extents, (std::vector<Index>{8, 9, 6}));
  EXPECT_EQ(tiling.cut, 1);
}

}  // namespace
}  // namespace weft::spectral
