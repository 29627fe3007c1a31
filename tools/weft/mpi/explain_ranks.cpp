// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/explain_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "api/network.hpp"
#include "base/buffer.hpp"
#include "base/index.hpp"
#include "formula/print.hpp"
#include "global/choose/planner.hpp"
#include "global/formula/recipe_formula.hpp"
#include "global/line/line.hpp"
#include "global/recipe/placement.hpp"
#include "global/recipe/recipe_text.hpp"
#include "mpi/distributed_problem.hpp"
#include "mpi/runtime.hpp"
#include "problem.hpp"
#include "problem/request.hpp"
#include "text.hpp"

namespace weft::tool {
namespace {

using global::GlobalProblem;
using global::Recipe;
using global::RecipeCost;

/// Measured seconds of every event of an execution, the slowest rank's.
struct Measured {
  std::vector<TraceEvent> events;
  double total_s = 0;
};

LocalBoxes local(const std::vector<Box>& boxes) {
  LocalBoxes result;
  for (const Box& box : boxes) result.push_back({.box = box});
  return result;
}

/// Runs the recipe, on MPI's ranks or on threads, and returns the best of three.
Measured measure(const Transform& transform, const GlobalProblem& problem, const Recipe& recipe,
                 const std::vector<int>& nodes) {
  Measured best;
  std::mutex mutex;
  const auto body = [&](const Comm& comm) {
    const auto rank = static_cast<std::size_t>(comm.rank());
    DistributedPlan plan(transform, local(problem.input[rank]), local(problem.output[rank]), comm,
                         {.recipe = to_text(recipe)});
    const Index width = 2 * real_bytes(transform.precision);
    Buffer<std::byte> in(std::max<Index>(plan.input_count() * width, 1));
    Buffer<std::byte> out(std::max<Index>(plan.output_count() * width, 1));
    std::ranges::fill(in.span(), std::byte{0});
    for (int round = 0; round < 4; ++round) {
      comm.barrier();
      execute(plan, transform, in.data(), out.data());
      const std::vector<TraceEvent> mine = plan.trace();
      const double total = mine.empty() ? 0 : mine.back().end_s;
      std::vector<double> all(static_cast<std::size_t>(comm.size()));
      comm.all_gather(&total, sizeof total, all.data());
      const double slowest = *std::ranges::max_element(all);
      const std::lock_guard lock(mutex);
      if (comm.rank() == 0 && round > 0 && (best.events.empty() || slowest < best.total_s))
        best = {mine, slowest};
    }
  };
  if (mpi_runtime() != nullptr)
    body(*mpi_runtime()->world());
  else
    run_as_threads(nodes, body);
  return best;
}

std::string place_of(const global::Stage& stage) {
  if (stage.where == global::Stage::Where::input) return "input";
  if (stage.where == global::Stage::Where::output) return "output";
  std::vector<Index> grid(stage.grid.begin(), stage.grid.end());
  return "grid " + shape_text(grid);
}

std::string work_of(const global::Stage& stage) {
  if (stage.axes.empty()) return "copy";
  std::string text = stage.axes.size() == 1 ? "transform axis" : "transform axes";
  for (int axis : stage.axes) text.append(1, ' ').append(std::to_string(axis));
  return text;
}

/// Bytes from each rank (row) to each (column).
void print_matrix(const reshape::ExchangeProblem& exchange) {
  const int ranks = static_cast<int>(exchange.from.size());
  fmt::print("       to");
  for (int to = 0; to < ranks; ++to) fmt::print("{:>9}", to);
  fmt::print("\n");
  for (int from = 0; from < ranks; ++from) {
    fmt::print("  from{:>3}", from);
    for (int to = 0; to < ranks; ++to) {
      const Index bytes =
          reshape::count_between(exchange.from, exchange.to, from, to) * exchange.element_bytes;
      fmt::print("{:>9}", bytes == 0   ? "."
                          : from == to ? "(" + bytes_text(static_cast<double>(bytes)) + ")"
                                       : bytes_text(static_cast<double>(bytes)));
    }
    fmt::print("\n");
  }
}

struct Question {
  Transform transform;
  GlobalProblem problem;
  Recipe recipe;
  GlobalProblem staged;  ///< what the recipe's stages work on: the problem, or a line's matrix
  RecipeCost cost;
  global::Placement placement;
  std::vector<Recipe> others;
  std::vector<double> other_s;
  std::vector<int> nodes;
  api::Network network;
  Measured measured;
  global::RecipeFormula formula;
  bool latex = false;
  std::string remark;  ///< why the recipe is not the one with the least predicted time
};

const char* source_of(const api::Network& network) {
  switch (network.source) {
    case api::Network::Source::measured: return "measured";
    case api::Network::Source::wisdom: return "wisdom";
    default: return "assumed";
  }
}

/// Where the predictions come from.
void print_speeds(const Question& q) {
  const global::NetworkModel& m = q.network.model;
  const auto rate = [](double bytes) { return bytes_text(bytes) + "/s"; };
  static const std::map<std::string, const char*> words{
      {"measured", "measured now on these ranks"},
      {"wisdom", "measured before, from wisdom"},
      {"assumed", "assumed, those of a common cluster: mpiexec ... weft tune measures them"}};
  fmt::print("Speeds           {}\n", words.at(source_of(q.network)));
  fmt::print("                 copies {}, kernels {:.1f} Gflop/s per rank\n",
             rate(m.memory_bandwidth), m.flops_per_s / 1e9);
  fmt::print("                 messages in a node {} and {}", seconds_text(m.node_latency_s),
             rate(m.node_bandwidth));
  if (std::ranges::adjacent_find(q.nodes, std::ranges::not_equal_to()) != q.nodes.end())
    fmt::print(", between nodes {} and {}", seconds_text(m.latency_s), rate(m.bandwidth));
  fmt::print("\n");
}

nlohmann::json as_json(const Question& q) {
  nlohmann::json stages = nlohmann::json::array();
  for (std::size_t i = 0; i < q.recipe.stages.size(); ++i)
    stages.push_back({{"place", place_of(q.recipe.stages[i])},
                      {"axes", q.recipe.stages[i].axes},
                      {"predicted_compute_s", q.cost.stages[i].compute_s},
                      {"predicted_exchange_s", q.cost.stages[i].exchange_s},
                      {"messages", q.cost.stages[i].messages},
                      {"message_bytes", q.cost.stages[i].message_bytes}});
  nlohmann::json document = {{"recipe", to_text(q.recipe)},
                             {"predicted_s", q.cost.total_s()},
                             {"workspace_bytes", q.cost.workspace_bytes},
                             {"speeds", source_of(q.network)},
                             {"network", to_text(q.network.model)},
                             {"stages", stages}};
  if (q.measured.total_s > 0) document["measured_s"] = q.measured.total_s;
  if (!q.remark.empty()) document["remark"] = q.remark;
  nlohmann::json factors = nlohmann::json::array();
  for (const global::RecipeFactor& factor : q.formula.factors)
    factors.push_back({{"what", factor.what}, {"formula", formula::print(factor.formula)}});
  document["formula"] = formula::print(q.formula.product());
  document["formula_latex"] = print_latex(q.formula);
  document["factors"] = factors;
  return document;
}

void print_stages(const Question& q) {
  std::size_t event = 0;
  const auto measured = [&] {
    if (event >= q.measured.events.size()) return std::string();
    const TraceEvent& e = q.measured.events[event++];
    return ", measured " + seconds_text(e.end_s - e.begin_s);
  };
  for (std::size_t i = 0; i < q.recipe.stages.size(); ++i) {
    const auto shape = shape_before(q.staged, q.recipe, i);
    const global::ArrayDistribution distribution =
        distribution_of(q.staged, q.recipe.stages[i], shape);
    const std::string box = distribution[0].empty() ? "nothing" : to_text(distribution[0][0]);
    fmt::print("{}. {} where the array lies as {}: rank 0 holds {}\n", i + 1,
               work_of(q.recipe.stages[i]), place_of(q.recipe.stages[i]), box);
    fmt::print("   predicted {}{}\n", seconds_text(q.cost.stages[i].compute_s), measured());
    if (i + 1 == q.recipe.stages.size()) continue;
    const global::StageCost& s = q.cost.stages[i];
    const bool shared = q.recipe.exchange == global::ExchangeKind::shared;
    fmt::print("   {}: {}; predicted {}{}\n", to_string(q.recipe.exchange),
               shared ? std::string("a barrier, nothing is sent: the ranks share one array")
                      : fmt::format("{} messages and {} from the busiest rank", s.messages,
                                    bytes_text(static_cast<double>(s.message_bytes))),
               seconds_text(s.exchange_s), measured());
    if (q.problem.ranks() <= 8) print_matrix(q.placement.exchanges[i]);
  }
}

void print_line(const Question& q) {
  const Index n = q.recipe.rows, m = q.recipe.columns;
  if (q.recipe.strategy == global::Recipe::Strategy::chirp)
    fmt::print(
        "The line has no good factors. It becomes a convolution of {} points with a chirp\n"
        "(Bluestein), there in the stages below and back in their reverse. ",
        n * m);
  fmt::print(
      "The line is a matrix of {} rows and {} columns, axes {} and {} below: DFT({}) down the\n"
      "columns, factors w^(p q), DFT({}) along the rows.\n\n",
      n, m, q.staged.twiddled, q.staged.twiddled + 1, n, m);
}

/// What the letters mean that not every formula has.
void print_legend(const std::string& formula) {
  const std::pair<const char*, const char*> letters[] = {
      {"P(", "P(a > b): from the order of distribution a to the order of distribution b"},
      {"; ",
       "T(n; a), T*: the factors w^(p q) of the line's n points on distribution a, or conjugated"},
      {"H(", "H: a half spectrum, completed with conjugates, in the order of the matrix"},
      {"C(", "C: times w^(k k / 2), zeros after the line's last point"},
      {"B(", "B: times the spectrum of the chirp"}};
  for (const auto& [letter, meaning] : letters)
    if (formula.find(letter) != std::string::npos) fmt::print("  {}\n", meaning);
}

/// The recipe as a formula: a factor per line, the data comes in at the bottom.
void print_formula(const Question& q) {
  if (q.latex) {
    fmt::print("{}\n\n", print_latex(q.formula));
    return;
  }
  fmt::print(
      "Formula, in the order of the distributions (rank by rank); data comes in at the bottom\n");
  std::size_t widest = 0;
  std::string all;
  for (const auto& factor : q.formula.factors) widest = std::max(widest, factor.what.size());
  for (const auto& factor : q.formula.factors) {
    const std::string text = formula::print(factor.formula);
    fmt::print("  {:<{}}  {} {}\n", factor.what, widest, all.empty() ? " " : ".", text);
    all += text;
  }
  print_legend(all);
  if (q.formula.takes_real_part) fmt::print("  the real part of the product is the result\n");
  if (q.formula.conjugates)
    fmt::print("  conjugates stand in for the half of the spectrum that is not stored\n");
  fmt::print("\n");
}

void print(const Question& q) {
  fmt::print("{} on {} ranks\n\n{}\n\n", describe(q.transform), q.problem.ranks(),
             to_text(q.recipe));
  if (!q.remark.empty()) fmt::print("{}\n", q.remark);
  if (q.recipe.rows > 0) print_line(q);
  print_formula(q);
  print_stages(q);
  Index in = 0, out = 0;
  const GlobalProblem& t = q.problem;
  for (const auto& boxes : q.problem.input)
    for (const Box& b : boxes) in = std::max(in, b.count() * in_element_bytes(t.kind, t.precision));
  for (const auto& boxes : q.problem.output)
    for (const Box& b : boxes)
      out = std::max(out, b.count() * out_element_bytes(t.kind, t.precision));
  const auto text = [](Index bytes) { return bytes_text(static_cast<double>(bytes)); };
  fmt::print("\nMemory per rank  input {} + output {} + workspace {} = {}\n", text(in), text(out),
             text(q.cost.workspace_bytes), text(in + out + q.cost.workspace_bytes));
  fmt::print("Time             predicted {}", seconds_text(q.cost.total_s()));
  if (q.measured.total_s > 0) fmt::print(", measured {}", seconds_text(q.measured.total_s));
  fmt::print("\n");
  print_speeds(q);
  fmt::print("\nOther recipes, by prediction\n");
  for (std::size_t i = 0; i < q.others.size(); ++i)
    fmt::print("  {:>9}  {}\n", seconds_text(q.other_s[i]), to_text(q.others[i]));
}

void choose(Question& q, const RanksQuestion& asked, bool may_share_memory) {
  const global::NetworkModel& model = q.network.model;
  global::Wishes wishes;
  wishes.may_share_memory = may_share_memory;
  wishes.strategy = asked.strategy;
  const auto ranked = candidates(q.problem, wishes, q.nodes, model);
  q.recipe = asked.recipe.empty() ? ranked.front()
                                  : global::fitting_recipe(asked.recipe, q.problem, q.nodes);
  q.cost = predict(q.problem, q.recipe, q.nodes, false, model);
  q.staged = staged_problem(q.problem, q.recipe);
  q.placement = {};
  if (q.recipe.stages.size() > 1) q.placement = place(q.staged, q.recipe, q.nodes, 0);
  q.others.clear();
  q.other_s.clear();
  for (const Recipe& other : ranked) {
    if (other == q.recipe) continue;
    q.others.push_back(other);
    q.other_s.push_back(predict(q.problem, other, q.nodes, false, model).total_s());
    if (q.others.size() == 6) break;
  }
}

}  // namespace

nlohmann::json explain_ranks(const RanksQuestion& question, bool json_only) {
  Question q;
  const Grid grid = parse_grid(question.ranks, question.transform.shape);
  q.transform = problem::check_request(question.transform, {}, {}).transform;
  q.problem = brick_problem(q.transform, grid, ranks_of(grid));
  const int per_node = question.ranks_per_node > 0 ? question.ranks_per_node : q.problem.ranks();
  for (int rank = 0; rank < q.problem.ranks(); ++rank) q.nodes.push_back(rank / per_node);
  q.network = api::known_network(q.nodes);
  if (mpi_runtime() != nullptr) {
    const auto world = mpi_runtime()->world();
    if (world->size() != q.problem.ranks())
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("--ranks {} are {} ranks, mpiexec started {}; start as many, or "
                              "explain without mpiexec",
                              question.ranks, q.problem.ranks(), world->size()));
    q.nodes = world->nodes();
    q.network = api::measured_network(*world);
  }
  choose(q, question, true);
  if (question.run || mpi_runtime() != nullptr) try {
      q.measured = measure(q.transform, q.problem, q.recipe, q.nodes);
    } catch (const global::SharedMemoryTooSmall&) {
      if (!question.recipe.empty()) throw;
      q.remark = global::SharedMemoryTooSmall::remark;
      choose(q, question, false);
      q.measured = measure(q.transform, q.problem, q.recipe, q.nodes);
    }
  q.formula = global::formula_of(q.problem, q.recipe);
  q.latex = question.latex;
  if (!json_only && rank_of_this_process() == 0) print(q);
  return as_json(q);
}

}  // namespace weft::tool
