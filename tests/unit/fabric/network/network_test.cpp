// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>

#include "../rounding.hpp"
#include "fabric/network/cluster_fft.hpp"
#include "fabric/network/explicit_global_fft.hpp"
#include "fabric/network/global_fft.hpp"
#include "weft/comm.hpp"
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
    EXPECT_LT(relative_difference(result, expected), two_roundings(x.size()))
        << m << " " << n << " " << p;
  }
  EXPECT_THROW(global_fft(std::vector<std::complex<double>>(12), 4, 3, 2), Error);
}

TEST(GlobalFftTime, IsFittedTo32Racks) {  // B2
  const TorusMachine machine = torus_of(load_machine("bluegene-p"));
  const double points = std::ldexp(1.0, 23);
  const auto rate = [&](int nodes) {
    const GlobalFftTime time = global_fft_time(machine, nodes, points);
    return time.flops / time.total() / 1e12;
  };
  EXPECT_NEAR(rate(32768), 6.4, 0.064);
  EXPECT_LT(rate(1024) / 1024, rate(512) / 512);  // the longest side doubles
  EXPECT_THROW(global_fft_time(machine, 40000, points), Error);
  EXPECT_EQ(2 * global_fft_time(machine, 512, points, 8).bytes_per_node,
            global_fft_time(machine, 512, points).bytes_per_node);
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

TEST(ClusterTime, NothingLeavesASingleNode) {
  const ClusterMachine summit = cluster_of(load_machine("summit"));
  for (const double points : {1.0, 2.0, 1e9}) {
    const ClusterTime time = cluster_fft_time(summit, 1, points, 16, ClusterScheme::heffte);
    EXPECT_EQ(time.bound_s, 0);
    EXPECT_GT(time.total(), 0);
  }
}

TEST(ClusterTime, NodeAwareExchangesSaveStartUps) {
  const ClusterMachine summit = cluster_of(load_machine("summit"));
  const double points = std::ldexp(1.0, 30);
  EXPECT_LT(cluster_fft_time(summit, 1024, points, 16, ClusterScheme::node_aware).total(),
            cluster_fft_time(summit, 1024, points, 16, ClusterScheme::heffte).total());
  EXPECT_THROW(cluster_fft_time(summit, 5000, points, 16, ClusterScheme::heffte), Error);
}

TEST(ExplicitGlobalFft, IsTheTransformOnRanks) {
  for (const auto& [points, ranks] :
       {std::pair<Index, int>{64, 4}, {144, 3}, {36, 2}, {30, 1}, {1, 1}}) {
    std::vector<std::complex<double>> line(static_cast<std::size_t>(points)), result(line.size());
    for (std::size_t k = 0; k < line.size(); ++k)
      line[k] = {std::cos(1.0 + 7.0 * static_cast<double>(k * k % 101)),
                 std::sin(3.0 * static_cast<double>(k))};
    run_as_threads(ranks, [&, points = points](const Comm& comm) {
      const auto share = static_cast<std::size_t>(points / comm.size());
      const auto begin = static_cast<std::size_t>(comm.rank()) * share;
      ExplicitGlobalFft(comm, points)
          .execute(std::span(line).subspan(begin, share), std::span(result).subspan(begin, share));
    });
    std::vector<std::complex<double>> expected(line.size());
    Plan(c2c({points})).execute(line.data(), expected.data());
    EXPECT_LT(relative_difference(result, expected), two_roundings(line.size()))
        << points << " on " << ranks;
  }
  EXPECT_THROW(run_as_threads(3, [](const Comm& comm) { ExplicitGlobalFft(comm, 20); }), Error);
}

}  // namespace
}  // namespace weft::fabric
