// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fabric/schedule.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

std::vector<Topology> some_of_each() {
  return {Topology::line(7),          Topology::ring(6),      Topology::mesh({4, 3}),
          Topology::torus({4, 3, 2}), Topology::hypercube(4), Topology::fat_tree(12, 4, 0.5)};
}

TEST(Topology, PathsAreConnectedAndEndWhereTheyShould) {
  for (const Topology& topology : some_of_each()) {
    const Traffic traffic = alltoall(topology.nodes(), 1);
    ASSERT_GT(traffic.size(), 0U);
    Schedule schedule = direct(topology, traffic);
    for (std::size_t k = 0; k < schedule.messages.size(); ++k) schedule.messages[k].start = 100 * k;
    const Verdict verdict = schedule.verify(topology, traffic);
    EXPECT_TRUE(verdict.good) << topology.name() << ": " << verdict.problem;
  }
}

TEST(Topology, DistancesAreThoseOfTheGroup) {
  for (const Topology& topology : some_of_each()) {
    if (!topology.group()) continue;
    const AbelianGroup& group = *topology.group();
    for (NodeId a = 0; a < topology.nodes(); ++a)
      for (NodeId b = 0; b < topology.nodes(); ++b)
        EXPECT_EQ(topology.distance(a, b), group.distance(group.add(b, group.negate(a))));
  }
}

TEST(Topology, BisectionsAreTheKnownOnes) {
  EXPECT_EQ(Topology::line(8).bisection(), 1);
  EXPECT_EQ(Topology::ring(8).bisection(), 2);
  EXPECT_EQ(Topology::mesh({8, 8}).bisection(), 8);
  EXPECT_EQ(Topology::torus({8, 8, 8}).bisection(), 128);
  EXPECT_EQ(Topology::hypercube(4).bisection(), 8);
  EXPECT_EQ(Topology::fat_tree(64, 8, 1).bisection(), 32);
  EXPECT_EQ(Topology::fat_tree(64, 8, 0.5).bisection(), 16);
}

TEST(Topology, RefusesImpossibleSides) {
  EXPECT_THROW(Topology::mesh({4, 0}), Error);
  EXPECT_THROW(Topology::fat_tree(4, 1, 1), Error);
  EXPECT_THROW(static_cast<void>(Topology::line(3).path(0, 3)), Error);
}

TEST(Schedule, TorusAllToAllLoadsEveryLongLinkWithAnEighthOfTheSide) {
  // B4: every node sends D words in all, L/8 of D on each link of the longest dimension.
  const Topology torus = Topology::torus({8, 8, 8});
  const std::int64_t words = 3;
  const LinkLoad load = direct(torus, alltoall(torus.nodes(), words)).load(torus);
  const std::int64_t per_node = words * torus.nodes();
  EXPECT_EQ(load.most, per_node * 8 / 8);
  EXPECT_EQ(*std::ranges::min_element(load.words), load.most);  // and all links alike
}

TEST(Schedule, ConflictFreeSchedulesAreVerifiedAndNeverBeatTheBound) {
  for (const Topology& topology : some_of_each()) {
    const Traffic traffic = alltoall(topology.nodes(), 2);
    const Schedule schedule = conflict_free(topology, traffic);
    const Verdict verdict = schedule.verify(topology, traffic);
    EXPECT_TRUE(verdict.good) << topology.name() << ": " << verdict.problem;
    EXPECT_GE(static_cast<double>(schedule.cycles()), lower_bound(topology, traffic));
    EXPECT_GT(lower_bound(topology, traffic), 0);
  }
}

TEST(Schedule, VerifyNamesCollisionsLossesAndBrokenPaths) {
  const Topology line = Topology::line(4);
  const Traffic traffic = {{0, 3, 5}, {1, 3, 5}};
  Schedule schedule = direct(line, traffic);
  EXPECT_NE(schedule.verify(line, traffic).problem.find("collide"), std::string::npos);
  schedule = conflict_free(line, traffic);
  EXPECT_TRUE(schedule.verify(line, traffic).good);
  Schedule lossy = schedule;
  lossy.messages.pop_back();
  EXPECT_NE(lossy.verify(line, traffic).problem.find("never sent"), std::string::npos);
  Schedule twice = schedule;
  twice.messages.push_back(twice.messages[0]);
  EXPECT_NE(twice.verify(line, traffic).problem.find("twice"), std::string::npos);
  Schedule broken = schedule;
  broken.messages[0].path.pop_back();
  EXPECT_FALSE(broken.verify(line, traffic).good);
}

TEST(Schedule, BroadcastBlocksLoadTheLastLinkFully) {
  const int p = 16;
  const Topology line = Topology::line(p);
  const LinkLoad load = broadcast_blocks(p, 2).load(line);
  EXPECT_EQ(load.most, 2 * p * (p - 1) / 2);
}

}  // namespace
}  // namespace weft::fabric
