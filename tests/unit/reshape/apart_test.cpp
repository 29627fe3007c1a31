// SPDX-License-Identifier: BSD-3-Clause
// The check for pieces that share memory, compared with a list of all elements.
#include "reshape/apart.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "reshape/piece.hpp"
#include "unit/reshape/random.hpp"
#include "weft/error.hpp"

namespace weft::reshape {
namespace {

constexpr Index bytes = 8;

/// Strides that pass what the smaller ones reach, in any order and direction.
Piece random_piece(Random& random) {
  const int ndim = static_cast<int>(pick(random, 1, 3));
  std::vector<int> order(static_cast<std::size_t>(ndim));
  for (int d = 0; d < ndim; ++d) order[static_cast<std::size_t>(d)] = d;
  std::shuffle(order.begin(), order.end(), random);
  Piece piece;
  piece.box.ndim = ndim;
  Index reached = 0, below = 0;
  for (int d : order) {
    const auto i = static_cast<std::size_t>(d);
    piece.box.end[i] = pick(random, 1, 4);
    const Index stride = reached + pick(random, 1, 4), steps = piece.box.end[i] - 1;
    const bool down = random() % 3 == 0;
    piece.strides[i] = down ? -stride : stride;
    reached += steps * stride;
    below += down ? steps * stride : 0;
  }
  piece.offset = (below + pick(random, 0, 20)) * bytes;
  return piece;
}

std::set<Index> elements_of(const Piece& piece) {
  std::set<Index> elements{piece.offset / bytes};
  for (int d = 0; d < piece.box.ndim; ++d) {
    std::set<Index> more;
    for (Index e : elements)
      for (Index i = 0; i < piece.box.extent(d); ++i)
        more.insert(e + i * piece.strides[static_cast<std::size_t>(d)]);
    elements = more;
  }
  EXPECT_EQ(static_cast<Index>(elements.size()), piece.box.count());
  return elements;
}

bool meet(const std::set<Index>& a, const std::set<Index>& b) {
  return std::ranges::any_of(a, [&](Index e) { return b.contains(e); });
}

TEST(Apart, TellsWhetherTwoPiecesShareAnElement) {
  Random random(11);
  int shared = 0, woven = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Piece a = random_piece(random), b = random_piece(random);
    const auto in_a = elements_of(a), in_b = elements_of(b);
    const bool wanted = meet(in_a, in_b);
    ASSERT_EQ(share_memory(a, b, bytes), wanted) << i;
    shared += wanted;
    woven += !wanted && *in_a.begin() < *in_b.rbegin() && *in_b.begin() < *in_a.rbegin();
  }
  EXPECT_GT(shared, 1000);
  EXPECT_GT(woven, 1000);
}

TEST(Apart, FindsTheTwoOfManyThatShareAnElement) {
  Random random(13);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<Piece> pieces;
    bool wanted = false;
    for (Index n = pick(random, 0, 5); n > 0; --n) {
      Piece piece = random_piece(random);
      piece.offset += pick(random, 0, 100) * bytes;
      for (const Piece& other : pieces)
        wanted = wanted || meet(elements_of(piece), elements_of(other));
      pieces.push_back(piece);
    }
    bool found = false;
    try {
      check_apart(pieces, bytes);
    } catch (const Error&) {
      found = true;
    }
    ASSERT_EQ(found, wanted) << i;
    refused += found;
  }
  EXPECT_GT(refused, 300);
  EXPECT_LT(refused, 2700);
}

TEST(Apart, BlocksOfABlockCyclicMatrixLieApart) {
  // 40 x 40 blocks of 8 x 8 in one column-major array: what ScaLAPACK has on one rank.
  constexpr Index blocks = 40, size = 8, leading = blocks * size;
  std::vector<Piece> pieces;
  for (Index row = 0; row < blocks; ++row)
    for (Index column = 0; column < blocks; ++column) {
      Piece piece{.box = Box({row * size, column * size}, {(row + 1) * size, (column + 1) * size})};
      piece.strides = {1, leading};
      piece.offset = (row * size + column * size * leading) * bytes;
      pieces.push_back(piece);
    }
  check_apart(pieces, bytes);
  pieces[777].offset += bytes;
  EXPECT_THROW(check_apart(pieces, bytes), Error);
}

TEST(Apart, TangledStridesAreAnsweredInTime) {
  Piece a, b;
  a.box = b.box = Box({0, 0, 0, 0}, {1000, 1000, 1000, 1000});
  a.strides = {1'000'000'007, 1'000'003, 1009, 1};
  b.strides = {1'000'000'009, 1'000'033, 1013, 1};
  b.offset = 500'000'000 * bytes;
  EXPECT_TRUE(share_memory(a, b, bytes));
}

}  // namespace
}  // namespace weft::reshape
