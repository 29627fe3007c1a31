// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/explain_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "api/network.hpp"
#include "base/index.hpp"
#include "formula/global_fft.hpp"
#include "formula/print.hpp"
#include "global/line.hpp"
#include "global/placement.hpp"
#include "global/planner.hpp"
#include "mpi/distributed_problem.hpp"
#include "mpi/runtime.hpp"
#include "problem.hpp"
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
Measured measure(const GlobalProblem& problem, const Recipe& recipe,
                 const std::vector<int>& nodes) {
  Measured best;
  std::mutex mutex;
  const auto body = [&](const Comm& comm) {
    const auto rank = static_cast<std::size_t>(comm.rank());
    DistributedPlan plan(problem.transform, local(problem.input[rank]), local(problem.output[rank]),
                         comm, {.recipe = to_text(recipe)});
    const Index width = 2 * global::real_bytes(problem.transform.precision);
    Buffer<std::byte> in(std::max<Index>(plan.input_count() * width, 1));
    Buffer<std::byte> out(std::max<Index>(plan.output_count() * width, 1));
    std::ranges::fill(in.span(), std::byte{0});
    for (int round = 0; round < 4; ++round) {
      comm.barrier();
      execute(plan, problem.transform, in.data(), out.data());
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

/// The steps of equation (19) for a line's matrix; none where it is another recipe, or where the
/// ranks do not divide rows and columns.
std::vector<formula::GlobalStep> global_steps(const Question& q) {
  if (q.recipe.rows == 0) return {};
  return formula::global_fft(q.recipe.columns, q.recipe.rows, q.problem.ranks())
      .value_or(std::vector<formula::GlobalStep>{});
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
  if (const auto steps = global_steps(q); !steps.empty())
    document["formula_latex"] = formula::print_latex(steps);
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
    const global::Layout layout = layout_of(q.staged, q.recipe.stages[i], shape);
    const std::string box = layout[0].empty() ? "nothing" : to_text(layout[0][0]);
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
  if (q.recipe.strategy == "chirp")
    fmt::print(
        "The line has no good factors. It becomes a convolution of {} points with a chirp\n"
        "(Bluestein), there in the stages below and back in their reverse. ",
        n * m);
  fmt::print(
      "The line is a matrix of {} rows and {} columns, axes {} and {} below: DFT({}) down the\n"
      "columns, factors w^(p q), DFT({}) along the rows.\n\n",
      n, m, q.staged.twiddled, q.staged.twiddled + 1, n, m);
  const auto steps = global_steps(q);
  if (steps.empty()) {
    fmt::print(
        "The {} ranks do not divide both, so blocks differ in size and equation (19) holds with\n"
        "unequal blocks.\n\n",
        q.problem.ranks());
    return;
  }
  fmt::print("DFT({}) on {} ranks, equation (19); data comes in at the bottom\n", n * m,
             q.problem.ranks());
  for (std::size_t i = 0; i < steps.size(); ++i)
    fmt::print("  {:<36} {} {}\n", to_string(steps[i].kind), i == 0 ? " " : ".",
               formula::print(steps[i].formula));
  fmt::print("\n");
}

void print(const Question& q) {
  fmt::print("{} on {} ranks\n\n{}\n\n", describe(q.problem.transform), q.problem.ranks(),
             to_text(q.recipe));
  if (q.recipe.rows > 0) print_line(q);
  print_stages(q);
  Index in = 0, out = 0;
  const Transform& t = q.problem.transform;
  for (const auto& boxes : q.problem.input)
    for (const Box& b : boxes)
      in = std::max(in, b.count() * global::in_element_bytes(t.kind, t.precision));
  for (const auto& boxes : q.problem.output)
    for (const Box& b : boxes)
      out = std::max(out, b.count() * global::out_element_bytes(t.kind, t.precision));
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

}  // namespace

nlohmann::json explain_ranks(const RanksQuestion& question, bool json_only) {
  Question q;
  const Grid grid = parse_grid(question.ranks, question.transform.shape);
  q.problem = brick_problem(question.transform, grid);
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
  const global::NetworkModel& model = q.network.model;
  auto ranked = candidates(q.problem, {}, q.nodes, model);
  q.recipe = ranked.front();
  q.cost = predict(q.problem, q.recipe, q.nodes, false, model);
  q.staged = staged_problem(q.problem, q.recipe);
  if (q.recipe.stages.size() > 1) q.placement = place(q.staged, q.recipe, q.nodes, 0);
  for (std::size_t i = 1; i < std::min<std::size_t>(ranked.size(), 7); ++i) {
    q.others.push_back(ranked[i]);
    q.other_s.push_back(predict(q.problem, ranked[i], q.nodes, false, model).total_s());
  }
  if (question.run || mpi_runtime() != nullptr) q.measured = measure(q.problem, q.recipe, q.nodes);
  if (!json_only && rank_of_this_process() == 0) print(q);
  return as_json(q);
}

}  // namespace weft::tool
