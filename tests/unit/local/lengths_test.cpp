// SPDX-License-Identifier: BSD-3-Clause
// Every length: all n up to 512 and larger ones of every kind, forward and backward, one transform
// and a batch that leaves a register partly filled, compared with the long double reference.
#include <gtest/gtest.h>

#include "unit/local/check.hpp"

namespace weft::test {
namespace {

class EveryLength : public ::testing::TestWithParam<Precision> {};

TEST_P(EveryLength, UpTo512AsABatchOfFive) {
  for (Index n = 1; n <= 512; ++n) {
    const Direction direction = n % 2 == 0 ? Direction::forward : Direction::backward;
    expect_close(c2c({5, n}, {.axes = {1}, .direction = direction, .precision = GetParam()}),
                 static_cast<std::uint64_t>(n));
  }
}

TEST_P(EveryLength, UpTo512AloneAndInPlace) {
  for (Index n = 1; n <= 512; ++n) {
    const Direction direction = n % 2 == 0 ? Direction::backward : Direction::forward;
    expect_close(c2c({n}, {.direction = direction,
                           .normalization = Normalization::backward,
                           .precision = GetParam()}),
                 static_cast<std::uint64_t>(n), {.in_place = true});
  }
}

TEST_P(EveryLength, RealForwardAndBackwardUpTo512) {
  for (Index n = 1; n <= 512; ++n) {
    expect_close(r2c({3, n}, {.axes = {1}, .precision = GetParam()}),
                 static_cast<std::uint64_t>(n));
    expect_close(
        c2r({3, n},
            {.axes = {1}, .normalization = Normalization::backward, .precision = GetParam()}),
        static_cast<std::uint64_t>(n));
    expect_close(r2c({n}, {.precision = GetParam()}), static_cast<std::uint64_t>(n));
    expect_close(c2r({n}, {.precision = GetParam()}), static_cast<std::uint64_t>(n));
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, EveryLength, ::testing::Values(Precision::f32, Precision::f64),
                         [](const auto& info) {
                           return info.param == Precision::f32 ? "f32" : "f64";
                         });

TEST(LargeLengths, OfEveryKindMatchTheOracle) {
  // Powers, smooth, primes (Rader and Bluestein), prime times small, products of large primes.
  for (Index n : {513,   521,   640,   720,   729,   1000,  1009,  1013,         1018,
                  1021,  1023,  1024,  1331,  1375,  2003,  2048,  2187,         2197,
                  2310,  3125,  3600,  4093,  4096,  4099,  5040,  6561,         7919,
                  8192,  10000, 10007, 12288, 15625, 16384, 16807, 17 * 19 * 23, 2 * 8191,
                  30030, 32768, 44100, 46189, 65536, 65537, 65539, 100000,       131072}) {
    for (Precision precision : {Precision::f32, Precision::f64})
      expect_close(c2c({n}, {.precision = precision}), static_cast<std::uint64_t>(n));
    expect_close(c2c({3, n}, {.axes = {1}, .direction = Direction::backward}),
                 static_cast<std::uint64_t>(n));
    expect_close(r2c({n}), static_cast<std::uint64_t>(n));
  }
}

TEST(LargeLengths, BeyondTheCacheInTwoPasses) {
  for (Index n : {Index{1} << 18, Index{3} << 17, Index{500000}})
    for (int threads : {1, 2}) expect_close(c2c({n}), 7, {.plan = {.threads = threads}});
}

TEST(LargeLengths, RealLinesByAllThreads) {
  const RunOptions options{.plan = {.threads = 3}};
  for (Index n : {Index{1} << 18, Index{500000}, Index{2} * 65537}) {
    expect_close(r2c({n}), 7, options);
    expect_close(c2r({n}), 8, options);
    expect_close(r2c({2, n}, {.axes = {1}}), 9, options);
  }
}

TEST(RealToReal, EveryKindAndLengthUpTo64) {
  for (int kind = 0; kind <= static_cast<int>(R2r::hc2r); ++kind)
    for (Index n = static_cast<R2r>(kind) == R2r::dct1 ? 2 : 1; n <= 64; ++n)
      for (Precision precision : {Precision::f32, Precision::f64})
        expect_close(r2r({3, n}, {static_cast<R2r>(kind)}, {.axes = {1}, .precision = precision}),
                     static_cast<std::uint64_t>(n));
}

/// Each length in one kind, neighbours in others.
TEST_P(EveryLength, RealToRealFrom65To512) {
  constexpr int kinds = static_cast<int>(R2r::hc2r) + 1;
  for (Index n = 65; n <= 512; ++n)
    expect_close(r2r({n}, {static_cast<R2r>(n % kinds)}, {.precision = GetParam()}),
                 static_cast<std::uint64_t>(n), {.in_place = n % 2 == 0});
}

TEST(RealToReal, LongerAndManyDimensional) {
  for (int kind = 0; kind <= static_cast<int>(R2r::hc2r); ++kind)
    for (Index n : {100, 127, 255, 256, 257}) expect_close(r2r({n}, {static_cast<R2r>(kind)}), 3);
  expect_close(r2r({9, 10, 11}, {R2r::dct2, R2r::dst3, R2r::dht}), 4);
  expect_close(r2r({7, 8}, {R2r::dct1, R2r::dst4}, {.normalization = Normalization::ortho}), 5,
               {.in_place = true});
}

TEST(RealToReal, HalfcomplexAndHartleyLinesOfAllAlgorithms) {
  for (R2r kind : {R2r::dht, R2r::r2hc, R2r::hc2r})
    for (Index n : {1000, 1009, 1024, 1155, 4096, 4099}) {
      expect_close(r2r({n}, {kind}, {.normalization = Normalization::ortho}), 6);
      expect_close(r2r({5, n}, {kind}, {.axes = {1}}), 7, {.in_place = true});
      expect_close(r2r({n}, {kind}, {.precision = Precision::f16}), 8);
    }
}

TEST(HalfPrecision, IsStoredInSixteenBitsAndComputedInF32) {
  for (Index n : {1, 2, 3, 7, 16, 60, 64, 100, 127, 256, 1000, 4096}) {
    expect_close(c2c({n}, {.normalization = Normalization::ortho, .precision = Precision::f16}),
                 static_cast<std::uint64_t>(n));
    expect_close(
        c2c({5, n},
            {.axes = {1}, .normalization = Normalization::ortho, .precision = Precision::f16}),
        3);
    expect_close(
        r2c({5, n},
            {.axes = {1}, .normalization = Normalization::ortho, .precision = Precision::f16}),
        5);
    expect_close(c2r({n}, {.normalization = Normalization::ortho, .precision = Precision::f16}), 6);
  }
}

}  // namespace
}  // namespace weft::test
