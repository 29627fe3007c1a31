// SPDX-License-Identifier: BSD-3-Clause
// The check that boxes cover an array, compared with counting every element.
#include "reshape/cover.hpp"

#include <gtest/gtest.h>

#include "reshape/messages.hpp"
#include "unit/reshape/random.hpp"
#include "weft/error.hpp"

namespace weft::reshape {
namespace {

/// Half the distributions are partitions to begin with; then a box may be moved, doubled or
/// emptied.
ArrayDistribution random_layout(Random& random, const std::vector<Index>& shape) {
  std::vector<Box> boxes{Box::of_shape(shape)};
  for (int cuts = static_cast<int>(random() % 6); cuts > 0; --cuts) {
    Box& box = boxes[random() % boxes.size()];
    const std::size_t d = random() % shape.size();
    const Index cut = box.begin[d] + static_cast<Index>(random() % 4);
    if (cut > box.end[d]) continue;
    Box rest = box;
    box.end[d] = rest.begin[d] = cut;  // either may be empty
    boxes.push_back(rest);
  }
  if (random() % 2 == 0) {
    Box& box = boxes[random() % boxes.size()];
    const std::size_t d = random() % shape.size();
    switch (random() % 3) {
      case 0: box.begin[d] += static_cast<Index>(random() % 3) - 1; break;
      case 1: box.end[d] += static_cast<Index>(random() % 3) - 1; break;
      default: boxes.push_back(Box(box));
    }
  }
  ArrayDistribution::List distribution(3);
  for (const Box& box : boxes) distribution[random() % distribution.size()].push_back(box);
  return distribution;
}

struct Held {
  bool inside = true;
  Index least = 1000, most = 0;  ///< boxes that hold an element
};

Held count_elements(const ArrayDistribution& distribution, const std::vector<Index>& shape) {
  Held held;
  for (Index x = 0; x < shape[0]; ++x)
    for (Index y = 0; y < shape[1]; ++y) {
      Index boxes = 0;
      for (const auto& of_rank : distribution)
        for (const Box& b : of_rank)
          boxes += b.begin[0] <= x && x < b.end[0] && b.begin[1] <= y && y < b.end[1];
      held.least = std::min(held.least, boxes);
      held.most = std::max(held.most, boxes);
    }
  for (const auto& of_rank : distribution)
    for (const Box& b : of_rank)
      if (!b.empty() &&
          (b.begin[0] < 0 || b.begin[1] < 0 || b.end[0] > shape[0] || b.end[1] > shape[1]))
        held.inside = false;
  return held;
}

bool is_accepted(const ArrayDistribution& distribution, const std::vector<Index>& shape,
                 Cover cover) {
  try {
    check_cover(distribution, shape, cover, "input");
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(Cover, AcceptsWhatHoldsEveryElement) {
  Random random(7);
  int exact = 0, several = 0, neither = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::vector<Index> shape{1 + static_cast<Index>(random() % 4),
                                   1 + static_cast<Index>(random() % 4)};
    const ArrayDistribution distribution = random_layout(random, shape);
    const Held held = count_elements(distribution, shape);
    const bool once = held.inside && held.least == 1 && held.most == 1;
    const bool at_least_once = held.inside && held.least >= 1;
    ASSERT_EQ(is_accepted(distribution, shape, Cover::exact), once) << i;
    ASSERT_EQ(is_accepted(distribution, shape, Cover::at_least), at_least_once) << i;
    if (held.inside) {
      ASSERT_EQ(is_partition(distribution, shape), once) << i;
    }
    ++(once ? exact : at_least_once ? several : neither);
  }
  EXPECT_GT(exact, 500);
  EXPECT_GT(several, 100);
  EXPECT_GT(neither, 500);
}

}  // namespace
}  // namespace weft::reshape
