// SPDX-License-Identifier: BSD-3-Clause
// Properties that need no reference: linearity, shift, impulse, Parseval, round trip.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/oracle.hpp"
#include "weft/plan.hpp"

namespace weft::test {
namespace {

using C = std::complex<double>;

std::vector<C> data(Index n, std::uint64_t seed) {
  Random random(seed);
  std::vector<C> x(static_cast<std::size_t>(n));
  for (C& v : x) v = {random.uniform(), random.uniform()};
  return x;
}
std::vector<C> transformed(const std::vector<C>& x, const Transform& transform) {
  std::vector<C> y(x.size());
  Plan(transform).execute(x.data(), y.data());
  return y;
}
double norm(const std::vector<C>& x) {
  long double sum = 0;
  for (const C& v : x) sum += std::norm(std::complex<long double>(v));
  return static_cast<double>(std::sqrt(sum));
}
double distance(const std::vector<C>& x, const std::vector<C>& y) {
  std::vector<C> d(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) d[i] = x[i] - y[i];
  return norm(d);
}

constexpr Index lengths[] = {1, 2, 7, 31, 64, 97, 120, 509, 1000, 4096, 8191, 30000, 131072};

TEST(Properties, RoundTripReturnsTheInput) {
  for (Index n : lengths) {
    const auto x = data(n, 1);
    const auto back = transformed(
        transformed(x, c2c({n})),
        c2c({n}, {.direction = Direction::backward, .normalization = Normalization::backward}));
    EXPECT_LT(distance(back, x), tolerance(Precision::f64, n) * norm(x)) << n;
  }
}

TEST(Properties, Parseval) {
  for (Index n : lengths) {
    const auto x = data(n, 2);
    const double ratio =
        norm(transformed(x, c2c({n}))) / (norm(x) * std::sqrt(static_cast<double>(n)));
    EXPECT_NEAR(ratio, 1, tolerance(Precision::f64, n)) << n;
  }
}

TEST(Properties, Linearity) {
  for (Index n : lengths) {
    const auto x = data(n, 3), y = data(n, 4);
    auto sum = x;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += C(0.5, -2) * y[i];
    const auto fx = transformed(x, c2c({n})), fy = transformed(y, c2c({n}));
    auto fsum = fx;
    for (std::size_t i = 0; i < sum.size(); ++i) fsum[i] += C(0.5, -2) * fy[i];
    EXPECT_LT(distance(transformed(sum, c2c({n})), fsum),
              3 * tolerance(Precision::f64, n) * norm(fsum))
        << n;
  }
}

TEST(Properties, ShiftTurnsPhases) {
  for (Index n : lengths) {
    const auto x = data(n, 5);
    auto shifted = x;
    for (Index i = 0; i < n; ++i)
      shifted[static_cast<std::size_t>((i + 1) % n)] = x[static_cast<std::size_t>(i)];
    auto turned = transformed(x, c2c({n}));
    for (Index k = 0; k < n; ++k)
      turned[static_cast<std::size_t>(k)] *=
          std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
    EXPECT_LT(distance(transformed(shifted, c2c({n})), turned),
              4 * tolerance(Precision::f64, n) * norm(turned))
        << n;
  }
}

TEST(Properties, AnImpulseBecomesFlat) {
  for (Index n : lengths) {
    std::vector<C> x(static_cast<std::size_t>(n));
    x[0] = 1;
    for (const C& v : transformed(x, c2c({n}))) EXPECT_NEAR(std::abs(v - C(1)), 0, 1e-14) << n;
  }
}

}  // namespace
}  // namespace weft::test
