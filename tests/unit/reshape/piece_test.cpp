// SPDX-License-Identifier: BSD-3-Clause
// Boxes in memory, compared with the definition in LocalBox: element i is at
// offset + sum (i[d] - begin[d]) * strides[d].
#include "reshape/piece.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "reshape/apart.hpp"
#include "unit/reshape/random.hpp"
#include "weft/error.hpp"

namespace weft::reshape {
namespace {

constexpr Index most = std::numeric_limits<Index>::max();

std::string refusal(const LocalBoxes& boxes) {
  try {
    pieces_of(boxes, Memory::input, 16);
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Pieces, OfBoxesThatCannotLieInMemoryAreRefused) {
  const Box box({0, 0}, {4, 3});
  const auto contains = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_EQ(refusal({{.box = box, .strides = {3, 1}}}), "accepted");
  EXPECT_EQ(refusal({{.box = box, .strides = {1, 4}}}), "accepted");
  EXPECT_EQ(refusal({{.box = box, .strides = {-3, -1}}}), "accepted");
  EXPECT_EQ(refusal({{.box = box, .strides = {-3, 1}, .offset = 9}}), "accepted");
  EXPECT_TRUE(contains(refusal({{.box = box, .strides = {0, 0}}}), "overlap"));
  EXPECT_TRUE(contains(refusal({{.box = box, .strides = {1, 1}}}), "overlap"));
  EXPECT_TRUE(contains(refusal({{.box = box, .strides = {2, 1}}}), "overlap"));
  EXPECT_TRUE(contains(refusal({{.box = box, .strides = {Index{1} << 61, 1}}}), "does not fit"));
  EXPECT_TRUE(contains(refusal({{.box = box, .strides = {-most - 1, 1}}}), "does not fit"));
  EXPECT_TRUE(contains(refusal({{.box = box, .strides = {1, 4, 9}}}), "3 strides"));
  EXPECT_TRUE(contains(refusal({{.box = box, .strides = {3, 1}, .order = {0, 1}}}), "leave order"));
  EXPECT_TRUE(
      contains(refusal({{.box = box, .strides = {-3, 1}, .offset = 8}}),
               "reach 1 elements before the array's pointer; give an offset of at least 9"));
  EXPECT_TRUE(contains(refusal({{.box = box, .offset = Index{1} << 62}}), "too far"));
  EXPECT_TRUE(contains(refusal({{.box = box, .offset = most}}), "does not fit"));
  EXPECT_TRUE(contains(refusal({{.box = box, .offset = -2}}), "its offset is -2"));
  EXPECT_TRUE(contains(refusal({{.box = box, .margin_low = {most, 0}}}), "does not fit"));
  EXPECT_TRUE(contains(refusal({{.box = box, .margin_high = {0, most}}}), "does not fit"));
  EXPECT_TRUE(contains(refusal({{.box = box, .margin_low = {0, -1}}}), "negative"));
  EXPECT_TRUE(contains(refusal({{.box = box, .margin_low = {1}}}), "one margin per axis"));
  EXPECT_TRUE(contains(refusal({{.box = box, .order = {1, 1}}}), "permutation"));
  EXPECT_TRUE(contains(refusal({{.box = Box({-1, 0}, {4, 3})}}), "begins at a negative index"));
  EXPECT_TRUE(
      contains(refusal({{.box = Box({-most, 0}, {most, 3})}}), "begins at a negative index"));
  constexpr Index large = Index{1} << 32;
  EXPECT_TRUE(contains(refusal({{.box = Box({0, 0, 0}, {large, large, 1})}}), "does not fit"));
  Box wide = box;
  wide.ndim = 9;
  EXPECT_TRUE(contains(refusal({{.box = wide}}), "9 dimensions"));
}

LocalBox random_box(Random& random) {
  LocalBox local;
  const int ndim = static_cast<int>(pick(random, 1, 3));
  local.box.ndim = ndim;
  for (std::size_t d = 0; d < static_cast<std::size_t>(ndim); ++d) {
    local.box.begin[d] = pick(random, 0, 3);
    local.box.end[d] = local.box.begin[d] + pick(random, 0, 4);
  }
  if (random() % 3 == 0) {  // the axes from the last to the first, with gaps, some downwards
    Index reached = 0;
    local.strides.resize(static_cast<std::size_t>(ndim));
    for (int d = ndim; d-- > 0;) {
      const Index stride = reached + pick(random, 1, 3);
      local.strides[static_cast<std::size_t>(d)] = random() % 2 == 0 ? stride : -stride;
      reached += std::max<Index>(0, local.box.extent(d) - 1) * stride;
    }
    return local;
  }
  for (int d = 0; d < ndim; ++d) local.order.push_back(d);
  std::shuffle(local.order.begin(), local.order.end(), random);
  for (int d = 0; d < ndim; ++d) local.margin_low.push_back(pick(random, 0, 2));
  for (int d = 0; d < ndim; ++d) local.margin_high.push_back(pick(random, 0, 2));
  return local;
}

/// Places of all elements of a box, from the piece.
std::vector<Index> places_of(const Piece& piece, Index element_bytes) {
  std::vector<Index> places{piece.offset / element_bytes};
  for (int d = 0; d < piece.box.ndim; ++d) {
    std::vector<Index> more;
    for (Index place : places)
      for (Index i = 0; i < piece.box.extent(d); ++i)
        more.push_back(place + i * piece.strides[static_cast<std::size_t>(d)]);
    places = more;
  }
  return places;
}

TEST(Pieces, LieOneAfterTheOtherWithoutSharingMemory) {
  Random random(3);
  for (int i = 0; i < 3000; ++i) {
    LocalBoxes boxes;
    Index filled = 0;
    for (Index n = pick(random, 0, 4); n > 0; --n) {
      boxes.push_back(random_box(random));
      filled += !boxes.back().box.empty();
    }
    const auto pieces = pieces_of(boxes, Memory::output, 4);
    ASSERT_EQ(static_cast<Index>(pieces.size()), filled);
    std::set<Index> taken;
    Index count = 0;
    for (const Piece& piece : pieces) {
      const Index end = taken.empty() ? 0 : *taken.rbegin() + 1;
      for (Index place : places_of(piece, 4)) {
        ASSERT_GE(place, end) << "inside or before the previous box";
        ++count;
      }
      for (Index place : places_of(piece, 4)) taken.insert(place);
    }
    ASSERT_EQ(static_cast<Index>(taken.size()), count) << i;
    ASSERT_EQ(footprint(pieces, 4), taken.empty() ? 0 : *taken.rbegin() + 1) << i;
    check_apart(pieces, 4);
    if (is_dense(pieces, 4)) {
      ASSERT_EQ(count, footprint(pieces, 4));
    }
  }
}

TEST(Pieces, WithinABoxAreTheSameElements) {
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    const LocalBoxes boxes{random_box(random)};
    const auto pieces = pieces_of(boxes, Memory::output, 4);
    if (pieces.empty()) continue;
    Box part = pieces[0].box;
    for (std::size_t d = 0; d < static_cast<std::size_t>(part.ndim); ++d) {
      part.begin[d] += pick(random, 0, 1);
      part.end[d] -= pick(random, 0, 1);
    }
    // Cut in two along an axis, and joined again.
    std::vector<Piece> halves;
    const auto axis = random() % static_cast<unsigned>(part.ndim);
    const Index middle = pick(random, 0, 5);
    for (const bool low : {true, false}) {
      Box half = pieces[0].box;
      (low ? half.end : half.begin)[axis] =
          low ? std::min(middle, half.end[axis]) : std::max(middle, half.begin[axis]);
      if (!half.empty()) halves.push_back(sub_piece(pieces[0], half, 4));
    }
    std::multiset<Index> wanted, found;
    if (!part.empty())
      for (Index place : places_of(sub_piece(pieces[0], part, 4), 4)) wanted.insert(place);
    for (const Piece& piece : pieces_within(halves, part, 4))
      for (Index place : places_of(piece, 4)) found.insert(place);
    ASSERT_EQ(found, wanted) << i;
  }
}

}  // namespace
}  // namespace weft::reshape
