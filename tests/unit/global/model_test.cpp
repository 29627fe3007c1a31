// SPDX-License-Identifier: BSD-3-Clause
// What the model says of recipes, where their data lies, and that the machine decides between them.
#include "global/choose/model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "global/choose/measure_network.hpp"
#include "global/choose/planner.hpp"
#include "global/recipe/placement.hpp"
#include "global/recipe/recipe_text.hpp"
#include "global/run/cpu_device.hpp"
#include "reshape/cover.hpp"

namespace weft::global {
namespace {

constexpr int model_ranks = 16;

/// A cube in bricks of 4 x 2 x 2 that comes back in them.
GlobalProblem bricks_of_cube(Index n) {
  GlobalProblem problem;
  problem.dimensions.assign(3, {.n = n});
  problem.axes = {0, 1, 2};
  problem.input = reshape::ArrayDistribution(problem.shape(), {4, 2, 2}, model_ranks);
  problem.output = problem.input;
  return problem;
}

std::vector<int> nodes_of(int ranks_per_node) {
  std::vector<int> nodes;
  for (int rank = 0; rank < model_ranks; ++rank) nodes.push_back(rank / ranks_per_node);
  return nodes;
}

Recipe with_exchange(const char* stages, ExchangeKind exchange) {
  Recipe recipe = parse_recipe(stages + std::string(" by all_to_all_v"));
  recipe.exchange = exchange;
  return recipe;
}

const char* const slab = "slab: input[] > 16x1x1[1,2] > 1x16x1[0] > output[]";
const char* const pencil = "pencil: input[] > 8x2x1[2] > 8x1x2[1] > 1x8x2[0] > output[]";

double predicted(Index n, const char* stages, const NetworkModel& model) {
  const Recipe recipe = with_exchange(stages, ExchangeKind::point_to_point);
  const GlobalProblem problem = bricks_of_cube(n);
  EXPECT_TRUE(stages_fit(recipe, problem)) << stages;
  return predict(problem, recipe, nodes_of(1), false, model).total_s();
}

TEST(NetworkModel, EverySpeedCounts) {
  const NetworkModel usual;
  const double before = predicted(64, slab, usual);
  NetworkModel slower = usual;
  slower.latency_s *= 10;
  EXPECT_GT(predicted(64, slab, slower), before);
  slower = usual;
  slower.bandwidth /= 10;
  EXPECT_GT(predicted(64, slab, slower), before);
  slower = usual;
  slower.flops_per_s /= 10;
  EXPECT_GT(predicted(64, slab, slower), before);
}

/// Slabs move the data less often, pencils send fewer messages.
TEST(NetworkModel, TheMachineDecidesBetweenSlabsAndPencils) {
  NetworkModel narrow{.latency_s = 1e-9, .bandwidth = 1e7};
  EXPECT_LT(predicted(64, slab, narrow), predicted(64, pencil, narrow));
  NetworkModel distant{.latency_s = 1e-2, .bandwidth = 1e12};
  EXPECT_GT(predicted(64, slab, distant), predicted(64, pencil, distant));
}

TEST(NetworkModel, CountsTheMessagesThatAreSent) {
  const GlobalProblem problem = bricks_of_cube(16);
  const Recipe recipe = with_exchange(slab, ExchangeKind::point_to_point);
  const auto cost = predict(problem, recipe, nodes_of(1), false, {});
  ASSERT_EQ(cost.stages.size(), recipe.stages.size());
  // From 16 x 1 x 1 to 1 x 16 x 1: a sixteenth of a slab to each of the others.
  EXPECT_EQ(cost.stages[1].messages, 15);
  EXPECT_EQ(cost.stages[1].message_bytes, 15 * 16 * Index{sizeof(std::complex<double>)});
}

/// A rank waits for every message that it sends itself, not for a share of one.
TEST(NetworkModel, ChargesTheRankThatSendsForItsNode) {
  const GlobalProblem problem = bricks_of_cube(16);
  const Recipe recipe = with_exchange(slab, ExchangeKind::node_aware);
  const NetworkModel near;
  NetworkModel far = near;
  far.latency_s += 1;
  for (const auto& [ranks_per_node, messages] : {std::pair{4, 1}, {2, 4}, {8, 1}}) {
    const auto nodes = nodes_of(ranks_per_node);
    const auto before = predict(problem, recipe, nodes, false, near).stages[1];
    const auto after = predict(problem, recipe, nodes, false, far).stages[1];
    EXPECT_EQ(before.messages, messages);
    EXPECT_NEAR(after.exchange_s - before.exchange_s, messages, 1e-9);
  }
}

TEST(NetworkModel, TakesTheDevicesPriceOfALength) {
  const GlobalProblem problem = bricks_of_cube(16);
  const Recipe recipe = with_exchange(slab, ExchangeKind::point_to_point);
  const NetworkModel model;
  const auto compute_s = [&](double price) {
    const auto flops_of = [&](Index n, Precision precision) {
      EXPECT_EQ(n, 16);
      EXPECT_EQ(precision, Precision::f64);
      return price;
    };
    return predict(problem, recipe, nodes_of(1), false, model, flops_of).stages[1].compute_s;
  };
  // Two axes of a slab of 256 points.
  EXPECT_NEAR(compute_s(7) - compute_s(0), 2 * 7 * 256 / model.flops_per_s, 1e-15);
}

TEST(Prices, OfTheCpuAreThoseOfItsCostModel) {
  const auto device = cpu_device();
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const double usual = device->point_flops(measured_line, precision);
    EXPECT_DOUBLE_EQ(usual, nominal_point_flops(measured_line, precision));
    EXPECT_GT(device->point_flops(1009, precision), usual) << "a convolution";
    for (const Index n : {Index{1}, Index{2}, Index{999983}, Index{1} << 24, Index{1} << 33}) {
      EXPECT_GT(device->point_flops(n, precision), 0) << n;
      EXPECT_TRUE(std::isfinite(device->point_flops(n, precision))) << n;
    }
  }
}

TEST(NetworkModel, TextReadsBackAndNamesTheRanks) {
  const NetworkModel model{.latency_s = 3e-6, .bandwidth = 7e9, .flops_per_s = 1.5e10};
  EXPECT_EQ(to_text(parse_network(to_text(model))), to_text(model));
  EXPECT_EQ(parse_network(to_text(model)).bandwidth, 7e9);
  EXPECT_EQ(topology_text(nodes_of(4)), "4x4 ranks");
  EXPECT_NE(topology_text({0, 0, 0, 1}), topology_text({0, 0, 1, 1}));
}

TEST(Candidates, ComeByTheModelsOrderAndFit) {
  const GlobalProblem problem = bricks_of_cube(32);
  for (const double latency_s : {1e-9, 1e-2}) {
    NetworkModel model;
    model.latency_s = latency_s;
    const auto found = candidates(problem, Wishes{}, nodes_of(4), model);
    ASSERT_GT(found.size(), 2U);
    double last = 0;
    for (const Recipe& recipe : found) {
      EXPECT_TRUE(stages_fit(recipe, problem)) << to_text(recipe);
      EXPECT_EQ(objection(recipe, problem, nodes_of(4), {}), "") << to_text(recipe);
      EXPECT_EQ(parse_recipe(to_text(recipe)), recipe);
      const double cost = predict(problem, recipe, nodes_of(4), false, model).total_s();
      EXPECT_GE(cost, 0.98 * last) << to_text(recipe);  // one in a hundred is a tie
      last = cost;
    }
  }
}

TEST(Candidates, FollowTheWishes) {
  const GlobalProblem problem = bricks_of_cube(32);
  Wishes wishes;
  wishes.strategy = Strategy::slab;
  wishes.exchange = ExchangeKind::pipelined;
  wishes.chunks = 3;
  for (const Recipe& recipe : candidates(problem, wishes, nodes_of(4), {})) {
    EXPECT_EQ(recipe.strategy, Recipe::Strategy::slab);
    EXPECT_EQ(recipe.exchange, ExchangeKind::pipelined);
    EXPECT_EQ(recipe.chunks, 3);
  }
  wishes.max_workspace_bytes = 1;
  EXPECT_THROW(candidates(problem, wishes, nodes_of(4), {}), Error);
}

TEST(Placement, EveryExchangeStartsWhereTheOneBeforeEnded) {
  const GlobalProblem problem = bricks_of_cube(16);
  for (const auto kind : {ExchangeKind::all_to_all, ExchangeKind::pipelined, ExchangeKind::shared,
                          ExchangeKind::node_aware}) {
    const Recipe recipe = with_exchange(pencil, kind);
    const auto nodes = nodes_of(kind == ExchangeKind::shared ? model_ranks : 4);
    const Placement placement = place(problem, recipe, nodes, 5);
    ASSERT_EQ(placement.exchanges.size(), recipe.stages.size() - 1);
    EXPECT_EQ(placement.exchanges.front().from.list(), problem.input.list());
    EXPECT_EQ(placement.exchanges.back().to.list(), problem.output.list());
    for (std::size_t i = 0; i < placement.exchanges.size(); ++i) {
      EXPECT_TRUE(reshape::is_partition(placement.exchanges[i].to, problem.shape()));
      if (i == 0) continue;
      EXPECT_EQ(placement.exchanges[i].from.list(), placement.exchanges[i - 1].to.list());
    }
  }
}

TEST(Placement, WhatAStageReadsIsNotWrittenByTheNextExchange) {
  const GlobalProblem problem = bricks_of_cube(16);
  const auto nodes = nodes_of(4);
  const Placement piped = place(problem, with_exchange(pencil, ExchangeKind::pipelined), nodes, 5);
  const Placement aware = place(problem, with_exchange(pencil, ExchangeKind::node_aware), nodes, 5);
  const Index slab_bytes = 16 * 16 * 16 / model_ranks * Index{sizeof(std::complex<double>)};
  for (std::size_t i = 1; i < piped.exchanges.size(); ++i) {
    const Index apart = piped.exchanges[i].receive_offset - piped.exchanges[i - 1].receive_offset;
    EXPECT_GE(std::abs(apart), slab_bytes);
    const Index last = aware.node_memory[i - 1].local, next = aware.node_memory[i].local;
    const Index bytes =
        reshape::node_aware_bytes(nodes, aware.exchanges[last < next ? i - 1 : i], 5).local;
    EXPECT_GE(std::abs(next - last), bytes);
    EXPECT_LE(std::max(next, last) + bytes, aware.shared_bytes + 4096);
  }
}

}  // namespace
}  // namespace weft::global
