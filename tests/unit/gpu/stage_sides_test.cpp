// SPDX-License-Identifier: BSD-3-Clause
// What kernels are told of the pieces that exchanges leave.
#include "gpu/stage_sides.hpp"

#include <gtest/gtest.h>

#include "gpu/copy_kernel.hpp"
#include "host_kernel.hpp"
#include "reshape/blocks.hpp"

namespace weft::test {
namespace {

using reshape::Memory;
using reshape::Piece;

std::vector<Piece> received(std::span<const Index> shape, const Grid& from, const Grid& to,
                            int me) {
  const int ranks = 4;
  const auto traffic = reshape::incoming(reshape::grid_layout(shape, from, ranks),
                                         reshape::grid_layout(shape, to, ranks), me);
  return pieces_in(traffic, reshape::dense_blocks(traffic, 8), Memory::receive, 8);
}

TEST(StageSides, SeeOneStridedArray) {
  const Box box({0, 2, 0}, {4, 6, 5});
  const Piece piece{box, Memory::input, 80, reshape::dense_strides(box)};
  const auto side = gpu::side_of({piece}, box, 8);
  ASSERT_TRUE(side.has_value());
  EXPECT_EQ(side->axis, -1);
  EXPECT_EQ(side->first, piece);
}

TEST(StageSides, SeeEqualBlocksOfWhatWasExchanged) {
  const std::vector<Index> shape{8, 12, 6};
  const auto pieces = received(shape, {1, 4, 1}, {4, 1, 1}, 2);  // y comes home from four ranks
  const Box box({4, 0, 0}, {6, 12, 6});
  const auto side = gpu::side_of(pieces, box, 8);
  ASSERT_TRUE(side.has_value());
  EXPECT_EQ(side->axis, 1);
  EXPECT_EQ(side->blocks.length, 3);
  EXPECT_EQ(side->blocks.jump, 2 * 3 * 6);
  // Every element of the box is where its piece has it.
  for (const Piece& piece : pieces)
    for (Index x = 0; x < 2; ++x)
      for (Index y = piece.box.begin[1]; y < piece.box.end[1]; ++y) {
        const Box element({4 + x, y, 1}, {5 + x, y + 1, 2});
        const Index there = piece.offset / 8 + reshape::distance(piece.box, piece.strides, element);
        const auto& strides = side->first.strides;
        const Index here = side->first.offset / 8 + x * strides[0] + y % 3 * strides[1] +
                           y / 3 * side->blocks.jump + strides[2];
        EXPECT_EQ(here, there);
      }
}

TEST(StageSides, RefuseUnequalBlocksAndCutsAlongTwoAxes) {
  const std::vector<Index> shape{8, 13, 6};
  EXPECT_FALSE(gpu::side_of(received(shape, {1, 4, 1}, {4, 1, 1}, 2), Box({4, 0, 0}, {6, 13, 6}), 8)
                   .has_value());
  const std::vector<Index> even{8, 12, 6};
  EXPECT_FALSE(gpu::side_of(received(even, {1, 2, 2}, {4, 1, 1}, 2), Box({4, 0, 0}, {6, 12, 6}), 8)
                   .has_value());
}

TEST(CopyShape, JoinsAxesThatContinueEachOther) {
  const Box box({0, 0, 0, 0}, {3, 1, 4, 5});
  const auto dense = reshape::dense_strides(box);
  const auto same = gpu::copy_shape(box, dense, dense);
  EXPECT_EQ(same.ndim, 1);
  EXPECT_EQ(same.extents[0], 60);
  reshape::Strides apart = dense;
  apart[0] = 100;
  const auto cut = gpu::copy_shape(box, apart, dense);
  EXPECT_EQ(cut.ndim, 2);
  EXPECT_EQ(cut.extents[0], 20);
  EXPECT_EQ(cut.in[1], 100);
  EXPECT_EQ(cut.count, 60);
}

TEST(CopyKernel, MovesABoxBetweenStrides) {
  const Box box({0, 0, 0}, {3, 4, 5});
  const reshape::Strides in{1, 3, 12};  // the fastest axis first
  const auto out = reshape::dense_strides(box);
  auto shape = gpu::copy_shape(box, in, out);
  const HostLibrary library(gpu::emit_copy_kernel(8));
  const auto copy =
      library.function<void (*)(const void*, void*, const void*)>("weft_copy_on_host");
  ASSERT_NE(copy, nullptr);
  std::vector<double> from(60), to(60, -1);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<double>(i);
  copy(from.data(), to.data(), &shape);
  for (Index a = 0; a < 3; ++a)
    for (Index b = 0; b < 4; ++b)
      for (Index c = 0; c < 5; ++c)
        EXPECT_EQ(to[static_cast<std::size_t>((a * 4 + b) * 5 + c)],
                  static_cast<double>(a + 3 * b + 12 * c));
}

}  // namespace
}  // namespace weft::test
