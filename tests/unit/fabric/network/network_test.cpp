// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "fabric/network/cluster_fft.hpp"
#include "fabric/network/global_fft.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace weft::fabric {
namespace {

TEST(GlobalFft, IsTheTransformOfTheWholeLine) {  // B1
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const int cases[][3] = {{4, 4, 2},  {8, 4, 2},   {4, 8, 4}, {6, 9, 3},
                          {12, 8, 4}, {16, 16, 8}, {5, 7, 1}};
  for (const auto& [m, n, p] : cases) {
    std::vector<std::complex<double>> x(static_cast<std::size_t>(m * n));
    for (auto& value : x) value = {uniform(generator), uniform(generator)};
    std::vector<std::complex<double>> expected(x.size());
    Plan(c2c({m * n})).execute(x.data(), expected.data());
    const auto result = global_fft(x, m, n, p);
    ASSERT_EQ(result.size(), expected.size());
    for (std::size_t k = 0; k < x.size(); ++k)
      ASSERT_LT(std::abs(result[k] - expected[k]), 1e-12) << m << " " << n << " " << p;
  }
  EXPECT_THROW(global_fft(std::vector<std::complex<double>>(12), 4, 3, 2), Error);
}

TEST(GlobalFftTime, IsCalibratedTo32Racks) {  // B2, B3
  const TorusMachine machine = torus_of(load_machine("bluegene-p"));
  const double points = std::ldexp(1.0, 23);
  const auto rate = [&](int nodes, Reorder reorder) {
    const GlobalFftTime time = global_fft_time(machine, nodes, points, reorder);
    return time.flops / time.total() / 1e12;
  };
  EXPECT_NEAR(rate(32768, Reorder::merged), 6.4, 0.064);
  EXPECT_NEAR(rate(32768, Reorder::explicit_steps), 5.0, 0.05);
  EXPECT_NEAR(rate(32768, Reorder::merged) / rate(32768, Reorder::explicit_steps), 1.28, 0.02);
  EXPECT_LT(rate(1024, Reorder::merged) / 1024, rate(512, Reorder::merged) / 512);  // the staircase
  EXPECT_THROW(global_fft_time(machine, 40000, points, Reorder::merged), Error);
}

TEST(ClusterTime, FollowsTheRooflineAndTheMeasuredPoints) {
  const ClusterMachine summit = cluster_of(load_machine("summit"));
  const double points = std::ldexp(1.0, 30);
  EXPECT_NEAR(roofline_flops(summit, 1, points, 16, 4) / 1e9 / 30, 1.953125, 1e-12);  // H1
  const auto rate = [&](double edge, int nodes) {
    const double count = edge * edge * edge;
    return 5 * count * std::log2(count) /
           cluster_fft_time(summit, nodes, count, 16, ClusterScheme::heffte).total() / 1e12;
  };
  EXPECT_NEAR(rate(256, 32) / 0.5, 1, 0.15);  // H2
  EXPECT_NEAR(rate(512, 64) / 1.3, 1, 0.15);
  EXPECT_NEAR(rate(1024, 1024) / 9.0, 1, 0.15);
  EXPECT_LT(rate(1024, 512) / rate(1024, 256), 1.5);  // H3
  EXPECT_LT(rate(1024, 1024) / rate(1024, 512), 1.5);
}

TEST(ClusterTime, NodeAwareExchangesSaveStartUps) {
  const ClusterMachine summit = cluster_of(load_machine("summit"));
  const double points = std::ldexp(1.0, 30);
  EXPECT_LT(cluster_fft_time(summit, 1024, points, 16, ClusterScheme::node_aware).total(),
            cluster_fft_time(summit, 1024, points, 16, ClusterScheme::heffte).total());
  EXPECT_THROW(cluster_fft_time(summit, 5000, points, 16, ClusterScheme::heffte), Error);
}

}  // namespace
}  // namespace weft::fabric
