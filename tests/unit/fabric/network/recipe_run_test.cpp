// SPDX-License-Identifier: BSD-3-Clause
// Recipes on simulated links: right numbers, the messages that real ranks send, loads and times
// that can be worked out by hand.
#include "fabric/network/recipe_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <functional>
#include <numeric>
#include <random>

#include "../rounding.hpp"
#include "base/index.hpp"
#include "base/reference_dft.hpp"
#include "global/choose/planner.hpp"
#include "global/line/line.hpp"
#include "global/recipe/placement.hpp"
#include "global/recipe/recipe_text.hpp"
#include "problem/request.hpp"
#include "support/counting_comm.hpp"
#include "support/transform_of.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

using Double = std::complex<double>;
using global::GlobalProblem;
using global::Recipe;

GlobalProblem bricks_of(const Transform& transform, int ranks) {
  GlobalProblem problem{problem::check_request(transform, {}, {}).problem};
  const Grid grid = balanced_grid(transform.shape, ranks);
  problem.input = reshape::ArrayDistribution(problem.in_shape(), grid, ranks);
  problem.output = reshape::ArrayDistribution(problem.out_shape(), grid, ranks);
  return problem;
}

/// Two or more nodes of a few ranks each.
RankNetwork network_of(const std::string& name, int nodes, int per_node, int ranks) {
  const FabricMachine machine = load_machine(name);
  RankNetwork network{ranks_of(machine, nodes), topology_of(machine, nodes), {}};
  network.machine.ranks_per_node = per_node;
  network.nodes = nodes_of_ranks(network.machine, ranks);
  return network;
}

/// Calls visit(number in the array, number in the rank's memory).
void for_each(const std::vector<Box>& boxes, const std::vector<Index>& shape,
              const std::function<void(std::size_t, std::size_t)>& visit) {
  std::size_t here = 0;
  for (const Box& box : boxes)
    for (Index i = 0; i < box.count(); ++i) {
      Index rest = i, number = 0, stride = 1;
      for (int d = box.ndim - 1; d >= 0; --d) {
        number += (box.begin[at(d)] + rest % box.extent(d)) * stride;
        stride *= shape[at(d)];
        rest /= box.extent(d);
      }
      visit(static_cast<std::size_t>(number), here++);
    }
}

using LongArray = std::vector<std::complex<long double>>;  ///< row-major

LongArray random_array(Index count, bool is_real) {
  std::mt19937 generator(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  LongArray x(static_cast<std::size_t>(count));
  for (auto& value : x) value = {uniform(generator), is_real ? 0.0 : uniform(generator)};
  return x;
}

/// The transform along all axes, one after another, in long double.
LongArray transformed(LongArray x, const std::vector<Index>& shape, Direction direction) {
  Index inner = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    for (Index line = 0; line < std::ssize(x) / shape[d]; ++line) {
      const Index first = line / inner * inner * shape[d] + line % inner;
      LongArray values;
      for (Index k = 0; k < shape[d]; ++k)
        values.push_back(x[static_cast<std::size_t>(first + k * inner)]);
      const auto image = reference_dft(values, direction);
      for (Index k = 0; k < shape[d]; ++k)
        x[static_cast<std::size_t>(first + k * inner)] = image[static_cast<std::size_t>(k)];
    }
    inner *= shape[d];
  }
  return x;
}

/// The half of a spectrum that r2c stores.
LongArray half_of(const LongArray& whole, Index n) {
  LongArray half;
  for (std::size_t i = 0; i < whole.size(); ++i)
    if (static_cast<Index>(i) % n <= n / 2) half.push_back(whole[i]);
  return half;
}

/// Input and output of a problem.
struct Numbers {
  LongArray in, out;
};
Numbers numbers_of(const GlobalProblem& problem) {
  const std::vector<Index> shape = problem.shape();
  const Index count = checked_product(shape, "size");
  const LongArray x = random_array(count, problem.kind != Kind::c2c);
  const LongArray image = transformed(x, shape, problem.direction);
  if (problem.kind == Kind::c2c) return {x, image};
  if (problem.kind == Kind::r2c) return {x, half_of(image, shape.back())};
  LongArray scaled = x;
  for (auto& value : scaled) value *= static_cast<long double>(count);
  return {half_of(transformed(x, shape, Direction::forward), shape.back()), scaled};
}

/// The difference from the transform by axes in long double, in units of what is allowed.
double error_of(const GlobalProblem& problem, const Recipe& recipe, const RankNetwork& network) {
  const auto [x, wanted] = numbers_of(problem);
  const auto in_width = static_cast<std::size_t>(problem.in_width());
  const auto out_width = static_cast<std::size_t>(problem.out_width());
  const auto bytes_of = [](const std::vector<Box>& boxes, std::size_t width) {
    Index count = 0;
    for (const Box& box : boxes) count += box.count();
    return static_cast<std::size_t>(count) * width * sizeof(double);
  };
  RankMemory in, out;
  for (std::size_t rank = 0; rank < problem.input.size(); ++rank) {
    in.emplace_back(bytes_of(problem.input[rank], in_width));
    out.emplace_back(bytes_of(problem.output[rank], out_width));
    auto* data = reinterpret_cast<double*>(in.back().data());
    for_each(problem.input[rank], problem.in_shape(), [&](std::size_t number, std::size_t i) {
      data[i * in_width] = static_cast<double>(x[number].real());
      if (in_width == 2) data[2 * i + 1] = static_cast<double>(x[number].imag());
    });
  }
  run_recipe(problem, recipe, network, in, out);
  std::vector<Double> here, there;
  for (std::size_t rank = 0; rank < out.size(); ++rank) {
    const auto* data = reinterpret_cast<const double*>(out[rank].data());
    for_each(problem.output[rank], problem.out_shape(), [&](std::size_t number, std::size_t i) {
      here.emplace_back(data[i * out_width], out_width == 2 ? data[2 * i + 1] : 0.0);
      there.emplace_back(wanted[number]);
    });
  }
  return relative_difference(here, there) / two_roundings(x.size());
}

std::vector<Recipe> recipes_of(const GlobalProblem& problem, const RankNetwork& network,
                               reshape::ExchangeKind kind) {
  global::Wishes wishes;
  wishes.exchange = kind;
  wishes.chunks = 2;
  std::vector<Recipe> recipes =
      candidates(problem, wishes, network.nodes, model_of(network.machine));
  std::erase_if(recipes, [](const Recipe& r) { return r.strategy == Recipe::Strategy::chirp; });
  return recipes;
}

/// Messages and bytes that rank `me` sends, by all exchanges.
test::Counts simulated_counts(const GlobalProblem& staged, const Recipe& recipe,
                              const std::vector<int>& nodes, int me) {
  test::Counts counts;
  if (recipe.stages.size() < 2) return counts;
  for (const auto& exchange : place(staged, recipe, nodes, 0).exchanges)
    for (const RankMessage& message : messages_of(exchange, recipe.exchange, nodes))
      if (message.from == me) {
        ++counts.messages;
        counts.bytes += message.bytes;
      }
  return counts;
}

/// The same recipe on ranks that are threads: messages and bytes of every rank.
std::vector<test::Counts> real_counts(const GlobalProblem& problem, const Recipe& recipe,
                                      const std::vector<int>& nodes) {
  std::vector<test::Counts> all(nodes.size());
  run_as_threads(nodes, [&](const Comm& comm) {
    const auto rank = at(comm.rank());
    const auto counts = std::make_shared<test::Counts>();
    const test::CountingComm counting(comm.duplicate(), counts);
    LocalBoxes in, out;
    for (const Box& box : problem.input[rank]) in.push_back({.box = box});
    for (const Box& box : problem.output[rank]) out.push_back({.box = box});
    DistributedPlan plan(test::transform_of(problem), in, out, counting,
                         {.recipe = to_text(recipe)});
    std::vector<Double> x(static_cast<std::size_t>(plan.input_count()) + 1);
    std::vector<Double> y(static_cast<std::size_t>(plan.output_count()) + 1);
    auto* const reals_in = reinterpret_cast<double*>(x.data());
    auto* const reals_out = reinterpret_cast<double*>(y.data());
    *counts = {};
    if (problem.kind == Kind::c2c) plan.execute(x.data(), y.data());
    if (problem.kind == Kind::r2c) plan.execute(reals_in, y.data());
    if (problem.kind == Kind::c2r) plan.execute(x.data(), reals_out);
    all[rank] = *counts;
  });
  return all;
}

using reshape::ExchangeKind;
constexpr reshape::ExchangeKind between_nodes[] = {
    ExchangeKind::all_to_all, ExchangeKind::all_to_all_v, ExchangeKind::point_to_point,
    ExchangeKind::pipelined, ExchangeKind::node_aware};

TEST(RecipeRun, GivesTheRightNumbers) {
  int runs = 0;
  for (const char* name : {"bluegene-p", "summit", "cluster"})
    for (const std::vector<Index>& shape : {std::vector<Index>{6, 5, 7}, {8, 12}, {48}})
      for (const auto kind : between_nodes) {
        const int ranks = shape.size() == 3 ? 6 : 4;
        const RankNetwork network = network_of(name, 3, 2, ranks);
        const GlobalProblem problem = bricks_of(
            c2c(shape, {.direction = runs % 2 == 0 ? Direction::forward : Direction::backward}),
            ranks);
        for (const Recipe& recipe : recipes_of(problem, network, kind)) {
          SCOPED_TRACE(std::string(name) + ": " + to_text(recipe));
          EXPECT_LT(error_of(problem, recipe, network), 1);
          ++runs;
        }
      }
  EXPECT_GT(runs, 60);
  const RankNetwork one = network_of("summit", 1, 4, 4);
  const GlobalProblem problem = bricks_of(c2c({6, 5, 7}), 4);
  EXPECT_LT(error_of(problem, recipes_of(problem, one, ExchangeKind::shared).front(), one), 1);
}

TEST(RecipeRun, GivesTheRightNumbersOfRealTransforms) {
  int runs = 0;
  for (const char* name : {"bluegene-p", "summit", "cluster"})
    for (const Transform& transform :
         {r2c({6, 5, 8}), c2r({6, 5, 7}), r2c({8, 9}), c2r({8, 12}), r2c({48}), c2r({48})})
      for (const auto kind : between_nodes) {
        const int ranks = transform.shape.size() == 3 ? 6 : 4;
        const RankNetwork network = network_of(name, 3, 2, ranks);
        const GlobalProblem problem = bricks_of(transform, ranks);
        for (const Recipe& recipe : recipes_of(problem, network, kind)) {
          SCOPED_TRACE(std::string(name) + ": " + to_text(recipe));
          EXPECT_LT(error_of(problem, recipe, network), 1);
          ++runs;
        }
      }
  EXPECT_GT(runs, 60);
}

TEST(RecipeRun, SendsTheMessagesThatRealRanksSend) {
  for (const Transform& transform : {c2c({6, 5, 7}), c2c({48}), r2c({6, 5, 8}), c2r({6, 5, 7})})
    for (const auto kind : between_nodes) {
      const int ranks = transform.shape.size() == 1 ? 4 : 6;
      const RankNetwork network = network_of("summit", 3, 2, ranks);
      const GlobalProblem problem = bricks_of(transform, ranks);
      const auto recipes = recipes_of(problem, network, kind);
      for (std::size_t i = 0; i < std::min<std::size_t>(recipes.size(), 2); ++i) {
        SCOPED_TRACE(to_text(recipes[i]));
        const auto real = real_counts(problem, recipes[i], network.nodes);
        const GlobalProblem staged = staged_problem(problem, recipes[i]);
        for (int rank = 0; rank < ranks; ++rank) {
          const auto counts = simulated_counts(staged, recipes[i], network.nodes, rank);
          EXPECT_EQ(counts.messages, real[at(rank)].messages) << "rank " << rank;
          EXPECT_EQ(counts.bytes, real[at(rank)].bytes) << "rank " << rank;
        }
        // The run counts what its messages are.
        Index messages = 0, bytes = 0;
        for (const ExchangeRun& e : count_recipe(problem, recipes[i], network).exchanges) {
          messages += e.messages;
          bytes += e.bytes;
        }
        const auto sum = [&](Index test::Counts::* what) {
          return std::accumulate(real.begin(), real.end(), Index{0},
                                 [&](Index n, const test::Counts& c) { return n + c.*what; });
        };
        EXPECT_EQ(messages, sum(&test::Counts::messages));
        EXPECT_EQ(bytes, sum(&test::Counts::bytes));
      }
    }
}

TEST(RecipeRun, LoadsTheLinksOfEveryPath) {
  const RankNetwork network = network_of("bluegene-p", 32, 1, 32);
  const GlobalProblem problem = bricks_of(c2c({16, 16, 16}), 32);
  const Recipe recipe = recipes_of(problem, network, ExchangeKind::all_to_all_v).front();
  const RecipeRun run = count_recipe(problem, recipe, network);
  const auto placement = place(problem, recipe, network.nodes, 0);
  for (std::size_t i = 0; i < run.exchanges.size(); ++i) {
    std::vector<Index> wanted(network.topology.links().size());
    for (const RankMessage& m : messages_of(placement.exchanges[i], recipe.exchange, network.nodes))
      for (const LinkId link :
           network.topology.path(network.nodes[at(m.from)], network.nodes[at(m.to)]))
        wanted[at(link)] += m.bytes;
    EXPECT_EQ(run.exchanges[i].link_bytes, wanted);
    EXPECT_GE(run.exchanges[i].seconds, run.exchanges[i].bound_s);
    EXPECT_EQ(run.exchanges[i].link_bytes[at(run.exchanges[i].busiest)],
              *std::ranges::max_element(wanted));
  }
}

TEST(RecipeRun, TakesTheTimeOfLinksThatAreShared) {
  // Two ranks on two nodes: one message each way, on links of their own.
  RankNetwork network = network_of("summit", 2, 1, 2);
  const GlobalProblem two = bricks_of(c2c({4, 4}), 2);
  const Recipe slab = global::parse_recipe("slab: input[1] > 1x2[0] > output[] by point_to_point");
  const ExchangeRun one = count_recipe(two, slab, network).exchanges[0];
  const double link_s = 4 * 16 / network.machine.link_bytes_per_s;
  EXPECT_EQ(one.messages, 2);
  EXPECT_EQ(one.bytes, 2 * 4 * 16);
  EXPECT_DOUBLE_EQ(one.seconds, network.machine.message_s + link_s);
  EXPECT_DOUBLE_EQ(one.bound_s, link_s);
  // Two ranks per node: four messages over each of the two links, in turns.
  network = network_of("summit", 2, 2, 4);
  network.machine.message_s = 1e-12;
  const GlobalProblem four = bricks_of(c2c({4, 4}), 4);
  GlobalProblem rows = four;
  rows.input = rows.output = reshape::ArrayDistribution(four.shape(), {4, 1}, 4);
  const ExchangeRun shared_link =
      count_recipe(rows,
                   global::parse_recipe("slab: input[1] > 1x4[0] > output[] by point_to_point"),
                   network)
          .exchanges[0];
  EXPECT_EQ(shared_link.messages, 12);
  EXPECT_EQ(shared_link.node_messages, 8);
  EXPECT_NEAR(shared_link.seconds, 4 * 16 / network.machine.link_bytes_per_s, 5e-12);
}

TEST(RecipeRun, RefusesWhatItCannotCarry) {
  const RankNetwork network = network_of("summit", 2, 2, 4);
  const GlobalProblem problem = bricks_of(c2c({8, 8}), 4);
  EXPECT_THROW(
      count_recipe(problem, global::parse_recipe("slab: input[] > 4x1[1] > output[0] by shared"),
                   network),
      Error);
  EXPECT_THROW(nodes_of_ranks(network.machine, 5), Error);
  EXPECT_THROW(ranks_of(load_machine("wse2"), 1), Error);
}

}  // namespace
}  // namespace weft::fabric
