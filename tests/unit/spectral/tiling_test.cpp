// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/tiling.hpp"

#include <gtest/gtest.h>

namespace weft::spectral {
namespace {

Tiling tiling_of(const Transform& transform, std::vector<Index> spectrum, double bytes) {
  return choose_tiling(transform, spectrum, 1, bytes);
}

TEST(Tiling, HasAllAxesInsideWhereATransformFits) {
  Transform transform = c2c({10, 16, 16}, {.axes = {1, 2}});
  const Tiling tiling = tiling_of(transform, {10, 16, 16}, 3 * 16 * 16 * 16);
  EXPECT_EQ(tiling.inside, (std::vector<int>{1, 2}));
  EXPECT_EQ(tiling.extents, (std::vector<Index>{3, 16, 16}));
  EXPECT_EQ(tiling.cut, 0);
}

TEST(Tiling, HasTheSlowestAxisInsideElse) {
  const Tiling tiling =
      tiling_of(c2c({64, 64, 64}, {.axes = {0, 1, 2}}), {64, 64, 64}, 64 * 16 * 16);
  EXPECT_EQ(tiling.inside, (std::vector<int>{0}));
  EXPECT_EQ(tiling.outside, (std::vector<int>{1, 2}));
  EXPECT_EQ(tiling.extents, (std::vector<Index>{64, 1, 16}));
  EXPECT_EQ(tiling.cut, 2);
}

TEST(Tiling, HasPlanesInsideWhereOneFits) {
  const Transform cube =
      c2c({64, 64, 64},
          {.axes = {0, 1, 2}, .input_extents = {64, 64, 64}, .output_extents = {64, 64, 64}});
  const double plane = 64 * 64 * 16;
  const Tiling planes = choose_tiling(cube, {64, 64, 64}, 1, 1024, plane);
  EXPECT_EQ(planes.inside, (std::vector<int>{1, 2}));
  EXPECT_EQ(planes.outside, (std::vector<int>{0}));
  EXPECT_EQ(planes.extents, (std::vector<Index>{1, 64, 64}));
  EXPECT_EQ(planes.cut, 0);
  EXPECT_EQ(choose_tiling(cube, {64, 64, 64}, 2, 1024, plane).inside, (std::vector<int>{0}));
  Transform padded = cube;
  padded.input_extents[1] = 32;
  EXPECT_EQ(choose_tiling(padded, {64, 64, 64}, 1, 1024, plane).inside, (std::vector<int>{0}));
}

TEST(Tiling, NeverHasTheHalvedAxisInsideAlone) {
  const Tiling tiling = tiling_of(r2c({64, 64}, {.axes = {1, 0}}), {33, 64}, 1024);
  EXPECT_EQ(tiling.inside, (std::vector<int>{1}));
  EXPECT_EQ(tiling.outside, (std::vector<int>{0}));
}

TEST(Tiling, TakesWholeCacheLinesHoweverSmallTheCache) {
  const Tiling tiling = tiling_of(c2c({4096, 64}, {.axes = {0, 1}}), {4096, 64}, 100);
  EXPECT_EQ(tiling.extents, (std::vector<Index>{4096, 4}));
}

TEST(Tiling, LeavesNoSmallRest) {
  const auto part = [](Index all, double room) {
    return tiling_of(c2c({8, all}, {.axes = {0, 1}}), {8, all}, room * 8 * 16).extents[1];
  };
  EXPECT_EQ(part(129, 128), 129);
  EXPECT_EQ(part(260, 128), 88);  // 88, 88 and 84
  EXPECT_EQ(part(256, 128), 128);
}

TEST(Tiling, TakesWholeFastDimensionsFirst) {
  const Tiling tiling =
      tiling_of(c2c({8, 100, 6}, {.axes = {0, 1, 2}}), {8, 100, 6}, 8 * 6 * 16 * 9);
  EXPECT_EQ(tiling.extents, (std::vector<Index>{8, 9, 6}));
  EXPECT_EQ(tiling.cut, 1);
}

}  // namespace
}  // namespace weft::spectral
