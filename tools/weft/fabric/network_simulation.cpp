// SPDX-License-Identifier: BSD-3-Clause
#include "network_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "../commands.hpp"
#include "../file.hpp"
#include "../mpi/distributed_problem.hpp"
#include "../problem.hpp"
#include "../reference_transform.hpp"
#include "../text.hpp"
#include "arguments.hpp"
#include "base/index.hpp"
#include "fabric/network/recipe_run.hpp"
#include "global/choose/planner.hpp"
#include "global/recipe/recipe_text.hpp"
#include "plot.hpp"
#include "recipe_prediction.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

using Reals = std::vector<double>;  ///< of a row-major array; two for a complex number

constexpr Index most_elements = Index{1} << 21;
constexpr int most_ranks = 1024;
constexpr std::size_t links_shown = 5;

struct Simulation {
  fabric::RankNetwork network;
  Transform transform;
  global::GlobalProblem problem;
  global::Recipe recipe;
  fabric::RecipeRun run;
  double error = 0, allowed = 0;
};

/// Calls visit(number in the row-major array, number in the rank's memory) for all that a rank has.
template <class Visit>
void for_each_element(const std::vector<Box>& boxes, const std::vector<Index>& shape,
                      const Visit& visit) {
  Index here = 0;
  for (const Box& box : boxes)
    for (Index i = 0; i < box.count(); ++i, ++here) {
      Index rest = i, number = 0, stride = 1;
      for (int d = box.ndim - 1; d >= 0; --d) {
        number += (box.begin[at(d)] + rest % box.extent(d)) * stride;
        stride *= shape[at(d)];
        rest /= box.extent(d);
      }
      visit(static_cast<std::size_t>(number), static_cast<std::size_t>(here));
    }
}

template <class Real>
fabric::RankMemory scattered(const Reals& array, const global::ArrayDistribution& distribution,
                             const std::vector<Index>& shape, std::size_t width) {
  fabric::RankMemory memory;
  for (const auto& boxes : distribution) {
    Index count = 0;
    for (const Box& box : boxes) count += box.count();
    memory.emplace_back(static_cast<std::size_t>(count) * width * sizeof(Real));
    auto* data = reinterpret_cast<Real*>(memory.back().data());
    for_each_element(boxes, shape, [&](std::size_t number, std::size_t here) {
      for (std::size_t part = 0; part < width; ++part)
        data[here * width + part] = static_cast<Real>(array[number * width + part]);
    });
  }
  return memory;
}

template <class Real>
Reals gathered(const fabric::RankMemory& memory, const global::ArrayDistribution& distribution,
               const std::vector<Index>& shape, std::size_t width) {
  Reals array(width * static_cast<std::size_t>(checked_product(shape, "size")));
  for (std::size_t rank = 0; rank < distribution.size(); ++rank) {
    const auto* data = reinterpret_cast<const Real*>(memory[rank].data());
    for_each_element(distribution[rank], shape, [&](std::size_t number, std::size_t here) {
      for (std::size_t part = 0; part < width; ++part)
        array[number * width + part] = static_cast<double>(data[here * width + part]);
    });
  }
  return array;
}

double relative_distance(const Reals& a, const Reals& b) {
  double sum = 0, norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return norm > 0 ? std::sqrt(sum / norm) : sum;
}

template <class Real>
void carry_out(Simulation& s) {
  const global::GlobalProblem& p = s.problem;
  const auto in_width = static_cast<std::size_t>(p.in_width());
  const auto out_width = static_cast<std::size_t>(p.out_width());
  std::mt19937 generator(7);
  std::uniform_real_distribution<Real> uniform(-1, 1);
  Reals x(in_width * static_cast<std::size_t>(checked_product(p.in_shape(), "size")));
  for (double& value : x) value = static_cast<double>(uniform(generator));
  const fabric::RankMemory in = scattered<Real>(x, p.input, p.in_shape(), in_width);
  const Reals zeros(out_width * static_cast<std::size_t>(checked_product(p.out_shape(), "size")));
  fabric::RankMemory out = scattered<Real>(zeros, p.output, p.out_shape(), out_width);
  s.run = run_recipe(p, s.recipe, s.network, in, out);
  s.error = relative_distance(gathered<Real>(out, p.output, p.out_shape(), out_width),
                              reference_transform(s.transform, x));
  const auto count = static_cast<double>(checked_product(p.shape(), "size"));
  s.allowed = 2 * static_cast<double>(std::numeric_limits<Real>::epsilon()) *
              std::log2(std::max(2.0, count));
}

int nodes_for(const fabric::FabricMachine& machine, const NetworkRequest& request) {
  if (request.nodes > 0) return request.nodes;
  const bool is_torus = std::holds_alternative<fabric::TorusMachine>(machine.what);
  const int per_node = request.ranks_per_node > 0 ? request.ranks_per_node
                                                  : fabric::ranks_of(machine, 1).ranks_per_node;
  if (request.ranks > 0) return static_cast<int>(ceil_div(request.ranks, per_node));
  return is_torus ? 1 : 8;
}

fabric::RankNetwork network_for(const fabric::FabricMachine& machine,
                                const NetworkRequest& request) {
  const int nodes = nodes_for(machine, request);
  fabric::MachineRanks ranks = fabric::ranks_of(machine, nodes);
  if (request.ranks_per_node > 0) ranks.ranks_per_node = request.ranks_per_node;
  const Index count = request.ranks > 0 ? request.ranks : ranks.ranks();
  if (count > most_ranks)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} ranks: at most {} ranks are simulated; give --ranks, --nodes or "
                            "--ranks-per-node, or use weft predict",
                            count, most_ranks));
  return {ranks, fabric::topology_of(machine, nodes),
          fabric::nodes_of_ranks(ranks, static_cast<int>(count))};
}

/// The recipe that was asked for, or the first that the cost model lists for this machine.
global::Recipe recipe_for(const Simulation& s, const NetworkRequest& request) {
  if (!request.recipe.empty())
    return global::fitting_recipe(request.recipe, s.problem, s.network.nodes);
  global::Wishes wishes;
  if (!request.exchange.empty()) {
    using enum reshape::ExchangeKind;
    for (const auto kind :
         {all_to_all, all_to_all_v, point_to_point, pipelined, shared, node_aware})
      if (request.exchange == to_string(kind)) wishes.exchange = kind;
    if (!wishes.exchange)
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("exchange {}: all_to_all, all_to_all_v, point_to_point, pipelined, "
                              "shared or node_aware",
                              request.exchange));
  }
  for (const global::Recipe& recipe :
       candidates(s.problem, wishes, s.network.nodes, model_of(s.network.machine)))
    if (recipe.strategy != global::Recipe::Strategy::chirp) return recipe;
  throw Error(ErrorCode::unsupported,
              fmt::format("size {}: the line has no factors, and chirps are not simulated; give "
                          "another length",
                          request.size));
}

struct LoadedLink {
  fabric::LinkId link;
  Index bytes;
};
std::vector<LoadedLink> busiest_links(const Simulation& s) {
  std::vector<LoadedLink> links;
  const std::vector<Index> bytes = s.run.link_bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] > 0) links.push_back({static_cast<fabric::LinkId>(i), bytes[i]});
  // Wide links carry more in the same time.
  std::ranges::stable_sort(links, std::greater(), [&](const LoadedLink& loaded) {
    return static_cast<double>(loaded.bytes) /
           s.network.topology.links()[at(loaded.link)].words_per_cycle;
  });
  return links;
}

std::string count_text(Index bytes) { return bytes_text(static_cast<double>(bytes)); }

void print_steps(const Simulation& s) {
  fmt::print("  {:<34}{:>11}{:>11}{:>10}{:>12}{:>12}  {}\n", "step", "simulated", "predicted",
             "messages", "bytes", "off node", "busiest link");
  for (std::size_t i = 0; i < s.run.stages.size(); ++i) {
    const fabric::StageRun& stage = s.run.stages[i];
    fmt::print("  {:<34}{:>11}\n", stage.what, seconds_text(stage.seconds));
    if (i == s.run.exchanges.size()) break;
    const fabric::ExchangeRun& e = s.run.exchanges[i];
    const std::string busiest =
        e.busiest < 0
            ? std::string("none")
            : fmt::format("{}: {}, {} alone", s.network.topology.link_name(e.busiest),
                          count_text(e.link_bytes[at(e.busiest)]), seconds_text(e.bound_s));
    fmt::print("  {:<34}{:>11}{:>11}{:>10}{:>12}{:>12}  {}\n", "exchange " + e.what,
               seconds_text(e.seconds), seconds_text(e.predicted_s), e.messages,
               count_text(e.bytes), count_text(e.node_bytes), busiest);
  }
}

void print(const Simulation& s, const fabric::FabricMachine& machine) {
  const auto& m = s.network.machine;
  fmt::print("{} on {}: {}, {} ranks, {} per node\n", describe(s.transform), machine.name,
             s.network.topology.name(), s.problem.ranks(), m.ranks_per_node);
  fmt::print("recipe {}\n", to_text(s.recipe));
  print_steps(s);
  const double total = s.run.compute_s() + s.run.exchange_s();
  const Index points = checked_product(s.problem.shape(), "size");
  fmt::print("  in all {}: computing {}, exchanges {}; {:.4g} Gflop/s\n", seconds_text(total),
             seconds_text(s.run.compute_s()), seconds_text(s.run.exchange_s()),
             nominal_flops(points, 1, s.problem.kind != Kind::c2c) / total / 1e9);
  const auto links = busiest_links(s);
  fmt::print("  busiest of {} links that carried something, of {}\n", links.size(),
             s.network.topology.links().size());
  for (std::size_t i = 0; i < std::min(links.size(), links_shown); ++i)
    fmt::print("    {:<28}{:>12}\n", s.network.topology.link_name(links[i].link),
               count_text(links[i].bytes));
  fmt::print("  {} numbers, error {:.2e} (allowed {:.1e}) against a transform in long double\n",
             s.error <= s.allowed ? "right" : "wrong", s.error, s.allowed);
}

nlohmann::json to_json(const Simulation& s, const fabric::FabricMachine& machine) {
  nlohmann::json stages = nlohmann::json::array(), exchanges = nlohmann::json::array();
  for (const fabric::StageRun& stage : s.run.stages)
    stages.push_back({{"what", stage.what}, {"seconds", stage.seconds}});
  for (const fabric::ExchangeRun& e : s.run.exchanges) {
    exchanges.push_back({{"what", e.what},
                         {"messages", e.messages},
                         {"bytes", e.bytes},
                         {"node_messages", e.node_messages},
                         {"node_bytes", e.node_bytes},
                         {"seconds", e.seconds},
                         {"predicted_s", e.predicted_s},
                         {"busiest_link_s", e.bound_s}});
    if (e.busiest >= 0) {
      exchanges.back()["busiest_link"] = s.network.topology.link_name(e.busiest);
      exchanges.back()["busiest_link_bytes"] = e.link_bytes[at(e.busiest)];
    }
  }
  nlohmann::json links = nlohmann::json::array();
  for (const LoadedLink& loaded : busiest_links(s))
    links.push_back({{"link", s.network.topology.link_name(loaded.link)}, {"bytes", loaded.bytes}});
  return {{"machine", machine.name},
          {"topology", s.network.topology.name()},
          {"ranks", s.problem.ranks()},
          {"ranks_per_node", s.network.machine.ranks_per_node},
          {"recipe", to_text(s.recipe)},
          {"stages", stages},
          {"exchanges", exchanges},
          {"links", links},
          {"compute_s", s.run.compute_s()},
          {"exchange_s", s.run.exchange_s()},
          {"numbers", {{"relative_error", s.error}, {"allowed", s.allowed}}}};
}

/// The load of every link that carried something, heaviest first, exchange by exchange.
std::string load_chart(const Simulation& s, const fabric::FabricMachine& machine) {
  Chart chart{.title = "Links of " + machine.name + ", heaviest first",
              .x_label = "links",
              .y_label = "bytes",
              .series = {}};
  for (const fabric::ExchangeRun& e : s.run.exchanges) {
    std::vector<Index> bytes = e.link_bytes;
    std::erase(bytes, 0);
    std::ranges::sort(bytes, std::greater());
    Series series{.name = e.what, .points = {}};
    for (std::size_t i = 0; i < bytes.size(); ++i)
      series.points.emplace_back(static_cast<double>(i + 1), static_cast<double>(bytes[i]));
    if (!bytes.empty()) chart.series.push_back(std::move(series));
  }
  return to_svg(chart);
}

Transform transform_of(const NetworkRequest& request, const std::vector<Index>& shape,
                       Precision precision) {
  if (request.real && request.inverse) return c2r(shape, {.precision = precision});
  if (request.real) return r2c(shape, {.precision = precision});
  return c2c(shape, {.direction = request.inverse ? Direction::backward : Direction::forward,
                     .precision = precision});
}

}  // namespace

nlohmann::json simulate_network(const fabric::FabricMachine& machine, const NetworkRequest& request,
                                bool json_only) {
  const std::vector<Index> shape = parse_size(request.size);
  if (checked_product(shape, "size") > most_elements)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("size {}: at most {} numbers are carried from link to link; use weft "
                            "predict for more",
                            request.size, most_elements));
  const Precision precision =
      request.precision.empty() ? Precision::f64 : parse_precision(request.precision);
  if (precision == Precision::f16)
    throw Error(ErrorCode::invalid_argument, "precision f16: f32 or f64 on a torus or cluster");
  Simulation s{network_for(machine, request), transform_of(request, shape, precision), {}, {}, {}};
  const int ranks = static_cast<int>(s.network.nodes.size());
  s.problem = brick_problem(s.transform, balanced_grid(shape, ranks), ranks);
  s.recipe = recipe_for(s, request);
  if (precision == Precision::f64)
    carry_out<double>(s);
  else
    carry_out<float>(s);
  if (!json_only) print(s, machine);
  if (!request.svg.empty()) write_file(request.svg, load_chart(s, machine));
  if (!(s.error <= s.allowed))
    throw Failed{fmt::format("the numbers are wrong: relative error {:.2e}, allowed {:.2e}",
                             s.error, s.allowed)};
  return to_json(s, machine);
}

}  // namespace weft::tool
