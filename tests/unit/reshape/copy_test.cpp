// SPDX-License-Identifier: BSD-3-Clause
// Copies of boxes against one element after another.
#include "reshape/copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstring>

#include "unit/reshape/distributions.hpp"

namespace weft::reshape {
namespace {

/// Strides of a memory that holds the box with gaps, its axes in any order, some of them downwards.
struct Place {
  Strides strides{};
  Index first = 0, elements = 1;  // of the element at box.begin; of the whole memory
};

Place random_place(Random& random, const Box& box) {
  std::vector<int> order;
  for (int d = 0; d < box.ndim; ++d) order.push_back(d);
  std::shuffle(order.begin(), order.end(), random);
  Place place;
  for (int d : order) {
    const Index stride = random() % 3 == 0 ? place.elements + pick(random, 0, 2) : place.elements;
    const bool down = random() % 4 == 0;
    place.strides[at(d)] = down ? -stride : stride;
    place.first += down ? (box.extent(d) - 1) * stride : 0;
    place.elements = (box.extent(d) - 1) * stride + place.elements;
  }
  return place;
}

std::vector<std::byte> random_bytes(Random& random, Index count) {
  std::vector<std::byte> bytes(at(count));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 256);
  return bytes;
}

using Copy = void (*)(const Box&, const std::byte*, const Strides&, std::byte*, const Strides&,
                      Index);

/// Copies and compares with what is expected, element by element; the gaps must keep what they had.
template <class One>
void expect_copy(Random& random, const Box& box, Index bytes, Copy copy, const One& one) {
  const Place in = random_place(random, box), out = random_place(random, box);
  const std::vector<std::byte> source = random_bytes(random, in.elements * bytes);
  std::vector<std::byte> target = random_bytes(random, out.elements * bytes), wanted = target;
  std::vector<Index> from, to;
  for_each_element(box, box.extents(), in.strides, [&](Index, Index d) { from.push_back(d); });
  for_each_element(box, box.extents(), out.strides, [&](Index, Index d) { to.push_back(d); });
  for (std::size_t i = 0; i < from.size(); ++i)
    one(&source[at((in.first + from[i]) * bytes)], &wanted[at((out.first + to[i]) * bytes)]);
  copy(box, source.data() + in.first * bytes, in.strides, target.data() + out.first * bytes,
       out.strides, bytes);
  ASSERT_TRUE(target == wanted) << to_text(box) << " of " << bytes << " bytes";
}

Box small_box(Random& random, Index longest) {
  Box box;
  box.ndim = static_cast<int>(pick(random, 1, 4));
  for (int d = 0; d < box.ndim; ++d) {
    box.begin[at(d)] = pick(random, 0, 5);
    box.end[at(d)] = box.begin[at(d)] + pick(random, 1, longest);
  }
  return box;
}

TEST(Copy, PutsEveryElementWhereItsStridesSay) {
  Random random(23);
  for (int i = 0; i < 2000; ++i) {
    const Box box = small_box(random, 6);
    for (Index bytes : {2, 4, 8, 16})
      expect_copy(random, box, bytes, copy_box, [&](const std::byte* from, std::byte* to) {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
      });
  }
}

/// Longer than the tiles of a transposition on both axes.
TEST(Copy, TransposesTileByTile) {
  Random random(29);
  for (int i = 0; i < 20; ++i)
    for (Index bytes : {2, 4, 8, 16})
      expect_copy(random, Box({0, 1, 2}, {300, 2, 180}), bytes, copy_box,
                  [&](const std::byte* from, std::byte* to) {
                    std::memcpy(to, from, static_cast<std::size_t>(bytes));
                  });
}

template <class Real>
void conjugate_one(const std::byte* from, std::byte* to) {
  Real parts[2];
  std::memcpy(parts, from, sizeof parts);
  parts[1] = -parts[1];
  std::memcpy(to, parts, sizeof parts);
}

TEST(Copy, ConjugatesEveryElement) {
  Random random(31);
  for (int i = 0; i < 500; ++i) {
    const Box box = small_box(random, 6);
    expect_copy(random, box, 8, conjugate_box, conjugate_one<float>);
    expect_copy(random, box, 16, conjugate_box, conjugate_one<double>);
  }
}

TEST(Copy, OfAnEmptyBoxTouchesNothing) {
  copy_box(Box({0, 0}, {4, 0}), nullptr, {}, nullptr, {}, 16);
  conjugate_box(Box({0, 0}, {0, 4}), nullptr, {}, nullptr, {}, 16);
}

}  // namespace
}  // namespace weft::reshape
