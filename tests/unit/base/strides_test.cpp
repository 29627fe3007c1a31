// SPDX-License-Identifier: BSD-3-Clause
#include "base/strides.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "weft/error.hpp"

namespace weft {
namespace {

TEST(Strides, AcceptedOnesKeepElementsApart) {
  std::mt19937 random(17);
  int accepted = 0, overlapping = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<Index> extents, strides;
    for (unsigned d = 0; d < 1 + random() % 3; ++d) {
      extents.push_back(1 + static_cast<Index>(random() % 4));
      strides.push_back(static_cast<Index>(random() % 41) - 20);
    }
    std::vector<Index> places{0};
    for (std::size_t d = 0; d < extents.size(); ++d) {
      std::vector<Index> more;
      for (Index place : places)
        for (Index k = 0; k < extents[d]; ++k) more.push_back(place + k * strides[d]);
      places = more;
    }
    const std::set<Index> apart(places.begin(), places.end());
    const bool overlap = apart.size() < places.size();
    overlapping += overlap;
    try {
      const Reach reach = check_strides(extents, strides, "the array");
      ASSERT_FALSE(overlap) << i;
      ASSERT_EQ(reach.low, *apart.begin());
      ASSERT_EQ(reach.high, *apart.rbegin());
      ++accepted;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(accepted, 5000);
  EXPECT_GT(overlapping, 2000);
}

TEST(Strides, ThatReachTooFarAreRefused) {
  const auto refuses = [](std::vector<Index> extents, std::vector<Index> strides) {
    EXPECT_THROW(check_strides(extents, strides, "the array"), Error);
  };
  refuses({2, 2}, {1, Index{1} << 61});
  refuses({2, 2}, {1, INT64_MIN});
  refuses({2, 2}, {INT64_MAX, -INT64_MAX});
  refuses({INT64_MAX, 2}, {1, 2});
  refuses({1, 2}, {INT64_MAX, 1});
  refuses({3, 3, 3}, {farthest_element / 2, farthest_element / 2 - 1, 1});
}

}  // namespace
}  // namespace weft
