// SPDX-License-Identifier: BSD-3-Clause
// The description of pieces, as exchanges leave them, that GPU kernels get.
#include "gpu/ranks/stage_sides.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "global/line/line_twiddles.hpp"
#include "gpu/device/copy_kernel.hpp"
#include "gpu/ranks/chirp_kernel.hpp"
#include "gpu/ranks/twiddle_kernel.hpp"
#include "host_kernel.hpp"
#include "reshape/blocks.hpp"

namespace weft::test {
namespace {

using reshape::Memory;
using reshape::Piece;

/// Element kernels on the host.
using OnHost = void (*)(const void* arguments, long long count);

std::vector<Piece> received(std::span<const Index> shape, const Grid& from, const Grid& to,
                            int me) {
  const int ranks = 4;
  const auto traffic = reshape::incoming(reshape::ArrayDistribution(shape, from, ranks),
                                         reshape::ArrayDistribution(shape, to, ranks), me);
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
  const auto shape = gpu::copy_shape(box, in, out);
  const HostLibrary library(gpu::emit_element_kernel(gpu::emit_copy(8)));
  const auto copy = library.function<OnHost>("weft_elements_on_host");
  ASSERT_NE(copy, nullptr);
  std::vector<double> from(60), to(60, -1);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<double>(i);
  const gpu::CopyArguments arguments{from.data(), to.data(), shape};
  copy(&arguments, shape.count);
  for (Index a = 0; a < 3; ++a)
    for (Index b = 0; b < 4; ++b)
      for (Index c = 0; c < 5; ++c)
        EXPECT_EQ(to[static_cast<std::size_t>((a * 4 + b) * 5 + c)],
                  static_cast<double>(a + 3 * b + 12 * c));
}

template <class Real>
void expect_conjugated() {
  using Complex = std::complex<Real>;
  const Box box({0, 0}, {3, 5});
  const reshape::Strides in{5, 1}, out{-1, -3};  // backwards, as mirrored points lie
  const auto shape = gpu::copy_shape(box, in, out, true);
  const HostLibrary library(gpu::emit_element_kernel(gpu::emit_copy(sizeof(Complex))));
  const auto copy = library.function<OnHost>("weft_elements_on_host");
  ASSERT_NE(copy, nullptr);
  std::vector<Complex> from(15), to(15);
  for (int i = 0; i < 15; ++i) from[at(i)] = {Real(i), i == 4 ? Real(0) : Real(i - 7)};
  const gpu::CopyArguments arguments{from.data(), to.data() + 14, shape};
  copy(&arguments, shape.count);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 5; ++b) {
      EXPECT_EQ(to[at(14 - a - 3 * b)], std::conj(from[at(5 * a + b)]));
      EXPECT_EQ(std::signbit(to[at(14 - a - 3 * b)].imag()),
                !std::signbit(from[at(5 * a + b)].imag()));
    }
}
TEST(CopyKernel, ConjugatesComplexNumbers) {
  expect_conjugated<float>();
  expect_conjugated<double>();
}

/// The products of a chirp plan as the GPU computes them, against those of the host.
template <class Real>
void expect_chirps_like_the_host(Index n, Index first, const global::ChirpProduct& wishes) {
  Box box({0, first, 0}, {2, first + 7, 3});
  const Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const global::ChirpLine line{n, 1, direction, precision};
    global::ChirpProduct product = wishes;
    product.from.box = product.to.box = box;
    product.from.strides = reshape::dense_strides(box);
    product.to.strides = {1, -6, 2};  // the line backwards
    product.to.offset = 36 * Index{sizeof(Real)} * (wishes.to_reals ? 1 : 2);
    std::vector<Real> in(84), expected(84, Real(-1)), found(84, Real(-1));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = Real(0.25) * Real(i % 13) - Real(1);
    const auto* source = reinterpret_cast<const std::byte*>(in.data());
    global::make_cpu_chirp_steps(line)->run(product, source,
                                            reinterpret_cast<std::byte*>(expected.data()));
    const HostLibrary library(gpu::emit_element_kernel(gpu::emit_chirp(precision)));
    const auto turn = library.function<OnHost>("weft_elements_on_host");
    ASSERT_NE(turn, nullptr);
    const auto arguments =
        gpu::chirp_arguments(line, product, source, reinterpret_cast<std::byte*>(found.data()));
    turn(&arguments, box.count());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], expected[i], 8 * std::numeric_limits<Real>::epsilon())
          << n << " at " << i;
  }
}
TEST(ChirpKernel, AgreesWithTheHostsProducts) {
  expect_chirps_like_the_host<double>(1009, 500, {.scale = 0.5});
  expect_chirps_like_the_host<double>(1009, 1001, {.from_reals = true});
  expect_chirps_like_the_host<float>(31, 3, {.to_reals = true, .scale = 2});
  global::ChirpProduct conjugated;
  conjugated.from.conjugate = true;
  expect_chirps_like_the_host<double>(17, 2, conjugated);
  // Squares beyond 64 bits.
  expect_chirps_like_the_host<double>((Index{1} << 40) + 15, (Index{1} << 40) - 9, {});
}

/// The factors of a shared-out line as the GPU computes them, against those of the host.
TEST(TwiddleKernel, AgreesWithTheHostsFactors) {
  // A part of a matrix of 24 x 40 points, batches around it.
  Box box = Box::of_shape(std::vector<Index>{2, 24, 40, 3});
  box.begin = {0, 5, 7, 0};
  box.end = {2, 16, 31, 3};
  const reshape::Strides dense = reshape::dense_strides(box);
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    std::vector<std::complex<double>> expected(static_cast<std::size_t>(box.count()), {0.5, -2});
    std::vector<std::complex<double>> found = expected;
    const global::LineTwiddles twiddles(24 * 40, direction, Precision::f64);
    twiddles.multiply(box, reinterpret_cast<std::byte*>(expected.data()), dense, 1);
    const HostLibrary library(gpu::emit_element_kernel(gpu::emit_twiddle(Precision::f64)));
    const auto turn = library.function<OnHost>("weft_elements_on_host");
    ASSERT_NE(turn, nullptr);
    const auto shape = gpu::twiddle_shape(box, dense, 1, 24 * 40, direction);
    const gpu::TwiddleArguments arguments{found.data(), shape};
    turn(&arguments, shape.count);
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_LT(std::abs(found[i] - expected[i]), 1e-14) << i;
  }
}

}  // namespace
}  // namespace weft::test
