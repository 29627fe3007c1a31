// SPDX-License-Identifier: BSD-3-Clause
// weft plan SHAPE: prints the recipe on one line, or all candidates with their times. weft explain
// SHAPE: explains the recipe, its cost, and how far it is from the lower bound set by the memory
// bandwidth.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/bandwidth.hpp"
#include "base/machine.hpp"
#include "bench/limit.hpp"
#include "candidate_list.hpp"
#include "commands.hpp"
#include "global/recipe/recipe.hpp"
#include "global/recipe/recipe_text.hpp"
#include "local/choose/planner.hpp"
#include "mpi/explain_ranks.hpp"
#include "mpi/runtime.hpp"
#include "part_times.hpp"
#include "problem.hpp"
#include "problem/request.hpp"
#include "text.hpp"
#include "timing.hpp"
#include "validators.hpp"

namespace weft::tool {
namespace plan_command {

struct Arguments {
  std::string shape;
  ProblemOptions problem;
  bool latex = false;
  bool measure = false;  // time the plan, do not only predict
  bool candidates = false;
  std::string ranks;  // of a distributed transform
  std::string strategy;
  int ranks_per_node = 0;
  JsonTarget json;
};

struct Explanation {
  Plan plan;
  double planning_s = 0;
  double bandwidth = 0;   // bytes per second of a copy of this size
  double floor_s = 0;     // time to read the input once and write the output once
  double limit_s = 0;     // what memory and arithmetic allow, see Limits
  double measured_s = 0;  // 0: not measured
  int threads = 1;
  std::vector<PartTime> parts = {};  // with measured_s
};

/// Stands for threads that a plan is made for, but that nothing runs on here.
class PlannedThreads final : public Executor {
 public:
  explicit PlannedThreads(int threads) : threads_(threads) {}
  int concurrency() const noexcept override { return threads_; }
  void run(int tasks, TaskRef task) const override {
    for (int i = 0; i < tasks; ++i) task(i);
  }

 private:
  int threads_;
};

PlanOptions plan_options(const Arguments& arguments) {
  PlanOptions options = make_plan_options(arguments.problem);
  const bool runs = arguments.measure || options.effort != Effort::estimate;
  if (!runs && options.threads > 1)
    options.executor = std::make_shared<PlannedThreads>(options.threads);
  return options;
}

Explanation explain(const Arguments& arguments) {
  load_wisdom(arguments.problem);
  const Transform transform = make_transform(arguments.shape, arguments.problem);
  const Stopwatch watch;
  Plan plan(transform, plan_options(arguments));
  Explanation result{std::move(plan), watch.seconds()};
  result.threads =
      arguments.problem.threads > 0 ? arguments.problem.threads : this_machine().usable_threads;
  const double once = static_cast<double>(input_bytes(result.plan) + output_bytes(result.plan));
  // More threads than cores do not copy faster.
  const int threads = std::min(result.threads, this_machine().usable_threads);
  result.bandwidth = copy_bandwidth_for(static_cast<std::size_t>(once), threads);
  result.floor_s = once / result.bandwidth;
  result.limit_s = Limits().seconds(work_of(result.plan, threads));
  if (arguments.measure) {
    result.measured_s = time_plan(result.plan);
    result.parts = time_parts(result.plan, make_plan_options(arguments.problem));
  }
  return result;
}

nlohmann::json as_json(const Explanation& e, const ProblemOptions& options) {
  const PlanCost cost = e.plan.cost();
  const Size size = size_of(e.plan.transform());
  nlohmann::json document = {
      {"transform", describe(e.plan.transform())},
      {"shape", e.plan.transform().shape},
      {"threads", e.threads},
      {"effort", options.effort},
      {"recipe", e.plan.recipe()},
      {"formula", e.plan.formula()},
      {"formula_latex", e.plan.formula_latex()},
      {"tree", e.plan.tree()},
      {"flops", cost.flops},
      {"nominal_flops",
       nominal_flops(size.points, size.batch, has_real_side(e.plan.transform().kind))},
      {"bytes", cost.bytes},
      {"passes", cost.passes},
      {"predicted_s", cost.predicted_s},
      {"planning_s", e.planning_s},
      {"workspace_bytes", e.plan.workspace_bytes()},
      {"copy_bandwidth", e.bandwidth},
      {"floor_s", e.floor_s},
      {"limit_s", e.limit_s}};
  if (e.measured_s > 0) document["measured_s"] = e.measured_s;
  for (const PartTime& part : e.parts)
    document["parts"].push_back({{"name", part.name}, {"measured_s", part.seconds}});
  return document;
}

void print_cost(const Explanation& e) {
  const PlanCost cost = e.plan.cost();
  const Size size = size_of(e.plan.transform());
  const double nominal =
      nominal_flops(size.points, size.batch, has_real_side(e.plan.transform().kind));
  const double array = static_cast<double>(input_bytes(e.plan) + output_bytes(e.plan));
  fmt::print("Cost\n");
  fmt::print("  arithmetic   {:.4g} operations ({:.2f} of the nominal {:.4g})\n", cost.flops,
             cost.flops / nominal, nominal);
  fmt::print("  memory       {} in {} passes over the array; input and output together are {}\n",
             bytes_text(cost.bytes), fmt::format("{:.3g}", cost.passes), bytes_text(array));
  fmt::print("  workspace    {}\n", bytes_text(static_cast<double>(e.plan.workspace_bytes())));
  fmt::print("  planning     {}\n", seconds_text(e.planning_s));
  fmt::print("Time with {} thread{}\n", e.threads, e.threads == 1 ? "" : "s");
  const auto line = [&](const char* name, double seconds) {
    fmt::print("  {:<12} {:>8}  {:>6.1f} Gflop/s  {:>5.1f} x the floor  {:>5.2f} x the limit\n",
               name, seconds_text(seconds), nominal / seconds / 1e9, seconds / e.floor_s,
               seconds / e.limit_s);
  };
  if (e.measured_s > 0) line("measured", e.measured_s);
  if (e.parts.size() > 1)
    for (const PartTime& part : e.parts)
      fmt::print("  - {:<10} {:>8}  {:>30.1f} x the floor\n", part.name, seconds_text(part.seconds),
                 part.seconds / e.floor_s);
  line("predicted", cost.predicted_s);
  fmt::print(
      "  {:<12} {:>8}  lower bound: read the input and write the output once, at the measured "
      "{:.1f} GB/s\n",
      "floor", seconds_text(e.floor_s), e.bandwidth / 1e9);
  fmt::print(
      "  {:<12} {:>8}  the greater of the passes that the transform needs at copy speed, and its "
      "operations at the\n  {:<12} {:>8}  speed of 256-point lines in cache (/limit in weft bench "
      "local)\n",
      "limit", seconds_text(e.limit_s), "", "");
}

/// One factor of the formula's outermost composition per line.
std::string one_factor_per_line(const std::string& formula) {
  std::string text;
  int depth = 0;
  for (std::size_t i = 0; i < formula.size(); ++i) {
    if (formula[i] == '(') ++depth;
    if (formula[i] == ')') --depth;
    if (depth == 0 && formula.compare(i, 3, " . ") == 0) {
      text += "\n. ";
      i += 2;
    } else {
      text += formula[i];
    }
  }
  return text;
}

void print_indented(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    fmt::print("  {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

constexpr Strategy strategies[] = {Strategy::slab, Strategy::pencil, Strategy::brick,
                                   Strategy::mixed, Strategy::line};

Strategy strategy_of(const std::string& name) {
  for (Strategy strategy : strategies)
    if (name == global::to_string(strategy)) return strategy;
  return Strategy::automatic;
}

void run_explain(const Arguments& arguments) {
  if (!arguments.ranks.empty()) {
    load_wisdom(arguments.problem);
    const RanksQuestion question{make_transform(arguments.shape, arguments.problem),
                                 arguments.ranks,
                                 arguments.ranks_per_node,
                                 arguments.problem.recipe,
                                 strategy_of(arguments.strategy),
                                 arguments.latex,
                                 arguments.measure};
    const nlohmann::json document = explain_ranks(question, arguments.json == "-");
    if (rank_of_this_process() == 0) write_json(arguments.json, document);
    return;
  }
  const Explanation e = explain(arguments);
  write_json(arguments.json, as_json(e, arguments.problem));
  if (arguments.json == "-") return;
  fmt::print("{}\n\nFormula\n", describe(e.plan.transform()));
  print_indented(arguments.latex ? e.plan.formula_latex() : one_factor_per_line(e.plan.formula()));
  fmt::print("\nRecipe\n");
  print_indented(e.plan.tree());
  fmt::print("\n");
  print_cost(e);
}

/// Prints the recipes that the planner considers, axis by axis and for the whole array.
void run_candidates(const Arguments& arguments) {
  const Transform transform = make_transform(arguments.shape, arguments.problem);
  const PlanOptions options = make_plan_options(arguments.problem);
  const local::Comparison comparison = local::compare_candidates(
      problem::check_request(transform, {}, {}).problem,
      {.effort = options.effort,
       .time_limit_s = options.time_limit_s,
       .executor = options.threads == 1 ? serial_executor() : openmp_executor(options.threads)});
  if (arguments.json != "-") print_candidates(comparison);
  nlohmann::json document = candidates_json(comparison);
  document["transform"] = describe(transform);
  document["threads"] = options.threads;
  write_json(arguments.json, document);
}

void run_plan(const Arguments& arguments) {
  if (arguments.candidates) return run_candidates(arguments);
  load_wisdom(arguments.problem);
  const Transform transform = make_transform(arguments.shape, arguments.problem);
  const Plan plan(transform, plan_options(arguments));
  if (arguments.json.empty()) {
    fmt::print("{}\n", arguments.latex ? plan.formula_latex() : plan.recipe());
    return;
  }
  write_json(arguments.json, {{"transform", describe(transform)},
                              {"recipe", plan.recipe()},
                              {"formula_latex", plan.formula_latex()},
                              {"predicted_s", plan.cost().predicted_s}});
}

CLI::App& add_command(CLI::App& app, const char* name, const char* description,
                      Arguments& arguments) {
  CLI::App& command = *app.add_subcommand(name, description);
  command
      .add_option("SHAPE", arguments.shape,
                  "Shape such as 512x512x512, 1009 or 2^20; 64*1000 is a batch of 64 transforms of "
                  "length 1000")
      ->required();
  add_problem_options(command, arguments.problem);
  command.add_option("--recipe", arguments.problem.recipe,
                     "Use this recipe, written as weft plan prints it, instead of choosing one");
  command.add_flag("--latex", arguments.latex, "Print the formula as LaTeX");
  add_json_flag(command, arguments.json);
  return command;
}

}  // namespace plan_command

void add_plan_command(CLI::App& app) {
  using namespace plan_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command =
      add_command(app, "plan", "Print the recipe for a transform on one line", *arguments);
  command
      .add_flag("--candidates", arguments->candidates,
                "List the recipes that the planner considers for each axis and the ways to cut the "
                "array, with predicted and measured times; --effort patient: measure all of them")
      ->excludes("--recipe");
  command.footer(
      "Examples:\n"
      "  weft plan 1009\n"
      "  weft plan --candidates --threads 2 64*1000\n"
      "  weft plan --real --precision f32 --effort measure 4096x4096\n"
      "  weft plan --latex 64*1000\n"
      "  weft plan 12x10 --recipe 'axes 0: avx2:lanes(12,1) | axes 1: avx2:lanes(10,1)'");
  command.callback([arguments] { run_plan(*arguments); });
}

void add_explain_command(CLI::App& app) {
  using namespace plan_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = add_command(
      app, "explain", "Explain how weft computes a transform, and its cost", *arguments);
  command.add_flag("--run", arguments->measure,
                   "Also time the transform and compare it with the prediction");
  command.add_option(
      "--ranks", arguments->ranks,
      "Explain a distributed transform over this number of ranks, or a grid of ranks "
      "such as 2x4; --recipe then takes a distributed recipe");
  std::vector<std::string> names;
  for (Strategy strategy : strategies) names.emplace_back(global::to_string(strategy));
  command
      .add_option("--strategy", arguments->strategy,
                  "With --ranks: choose among the recipes of this strategy only")
      ->check(CLI::IsMember(names))
      ->needs("--ranks")
      ->excludes("--recipe");
  command
      .add_option("--ranks-per-node", arguments->ranks_per_node,
                  "With --ranks: ranks per node, which share memory (default: all on one node)")
      ->check(at_least(1));
  command.footer(
      "Examples:\n"
      "  weft explain 512x512x512 --threads 0\n"
      "  weft explain 512x512x512 --ranks 2x4 --ranks-per-node 4\n"
      "  weft explain 16777216 --ranks 4 --latex\n"
      "  weft explain 64x64x64 --ranks 8 --strategy pencil\n"
      "  weft explain --real 64*1000 --run\n"
      "  weft explain --r2r dct2 1024x1024 --json");
  command.callback([arguments] { run_explain(*arguments); });
}

}  // namespace weft::tool
