// SPDX-License-Identifier: BSD-3-Clause
// Normalization of real-to-real transforms: the round trip gives the input, whether the direction
// is given or follows from the kind.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>

#include "weft/plan.hpp"

namespace weft {
namespace {

constexpr R2r all_kinds[] = {R2r::dct1, R2r::dct2, R2r::dct3, R2r::dct4, R2r::dst1,
                             R2r::dst2, R2r::dst3, R2r::dst4, R2r::dht};

R2r inverse_of(R2r kind) {
  switch (kind) {
    case R2r::dct2: return R2r::dct3;
    case R2r::dct3: return R2r::dct2;
    case R2r::dst2: return R2r::dst3;
    case R2r::dst3: return R2r::dst2;
    default: return kind;
  }
}

double logical_points(R2r kind, Index n) {
  switch (kind) {
    case R2r::dct1: return 2.0 * static_cast<double>(n - 1);
    case R2r::dst1: return 2.0 * static_cast<double>(n + 1);
    case R2r::dht: return static_cast<double>(n);
    default: return 2.0 * static_cast<double>(n);
  }
}

std::vector<double> random_reals(Index count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<double> x(static_cast<std::size_t>(count));
  for (double& element : x) element = value(random);
  return x;
}

/// The largest distance of back(there(x)) from factor * x.
double error_there_and_back(const Transform& there, const Transform& back, double factor) {
  Index count = 1;
  for (Index n : there.shape) count *= n;
  const std::vector<double> x = random_reals(count);
  std::vector<double> y(x.size()), again(x.size());
  Plan(there).execute(x.data(), y.data());
  Plan(back).execute(y.data(), again.data());
  double error = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    error = std::fmax(error, std::abs(again[i] - factor * x[i]));
  return error / factor;
}

TEST(R2rNormalization, ThereAndBackIsTheIdentity) {
  for (const R2r kind : all_kinds)
    for (const Normalization normalization :
         {Normalization::backward, Normalization::forward, Normalization::ortho})
      for (const Direction direction : {Direction::forward, Direction::backward})
        for (const Index n : {2, 9, 16}) {
          const Direction opposite =
              direction == Direction::forward ? Direction::backward : Direction::forward;
          const double error = error_there_and_back(
              r2r({n}, {kind}, {.direction = direction, .normalization = normalization}),
              r2r({n}, {inverse_of(kind)}, {.direction = opposite, .normalization = normalization}),
              1);
          EXPECT_LT(error, 1e-14) << "kind " << static_cast<int>(kind) << " normalization "
                                  << static_cast<int>(normalization) << " n " << n;
        }
}

TEST(R2rNormalization, NoneMultipliesByTheLogicalPoints) {
  for (const R2r kind : all_kinds)
    EXPECT_LT(error_there_and_back(r2r({9}, {kind}), r2r({9}, {inverse_of(kind)}),
                                   logical_points(kind, 9)),
              1e-14)
        << static_cast<int>(kind);
}

TEST(R2rNormalization, TypesTwoAndThreeKnowTheirDirection) {
  for (const R2r kind : {R2r::dct2, R2r::dst2, R2r::dct3, R2r::dst3})
    for (const Normalization normalization :
         {Normalization::backward, Normalization::forward, Normalization::ortho}) {
      const double error =
          error_there_and_back(r2r({9}, {kind}, {.normalization = normalization}),
                               r2r({9}, {inverse_of(kind)}, {.normalization = normalization}), 1);
      EXPECT_LT(error, 1e-14) << "kind " << static_cast<int>(kind) << " normalization "
                              << static_cast<int>(normalization);
    }
  EXPECT_EQ(r2r({8}, {R2r::dct3}).direction, Direction::backward);
  EXPECT_EQ(r2r({8, 8}, {R2r::dct4, R2r::dst3}).direction, Direction::backward);
  EXPECT_EQ(r2r({8, 8}, {R2r::dct2, R2r::dht}).direction, Direction::forward);
  EXPECT_EQ(r2r({8}, {R2r::dct4}).direction, Direction::forward);
  EXPECT_EQ(r2r({8}, {R2r::dct3}, {.direction = Direction::forward}).direction, Direction::forward);
}

TEST(R2rNormalization, OneTypeThreeAloneIsTheScaledInverse) {
  // All ones under DCT-III is not constant, an impulse is: y[k] = x[0] for every k.
  std::vector<double> x(8), y(8);
  x[0] = 16;
  Plan(r2r({8}, {R2r::dct3}, {.normalization = Normalization::backward}))
      .execute(x.data(), y.data());
  for (const double value : y) EXPECT_NEAR(value, 1, 1e-15);
}

TEST(R2rNormalization, TypesTwoAndThreeTogetherNeedADirection) {
  const std::vector<R2r> kinds{R2r::dct2, R2r::dst3};
  EXPECT_NO_THROW(r2r({8, 9}, kinds));
  EXPECT_NO_THROW(r2r({8, 9}, kinds, {.normalization = Normalization::ortho}));
  try {
    r2r({8, 9}, kinds, {.normalization = Normalization::backward});
    FAIL() << "was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("direction"), std::string::npos);
  }
  const double error = error_there_and_back(
      r2r({8, 9}, kinds,
          {.direction = Direction::forward, .normalization = Normalization::backward}),
      r2r({8, 9}, {R2r::dct3, R2r::dst2},
          {.direction = Direction::backward, .normalization = Normalization::backward}),
      1);
  EXPECT_LT(error, 1e-14);
}

}  // namespace
}  // namespace weft
