// SPDX-License-Identifier: BSD-3-Clause
// weft plan SHAPE: the recipe on one line. weft explain SHAPE: the recipe for people, with what it
// costs and how far that is from the least this machine's memory allows.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/bandwidth.hpp"
#include "base/machine.hpp"
#include "commands.hpp"
#include "mpi/explain_ranks.hpp"
#include "mpi/runtime.hpp"
#include "problem.hpp"
#include "text.hpp"
#include "timing.hpp"

namespace weft::tool {
namespace {

struct Arguments {
  std::string shape;
  ProblemOptions problem;
  bool latex = false;
  bool measure = false;  // run it, do not only predict
  std::string ranks;     // of a distributed transform
  int ranks_per_node = 0;
  JsonTarget json;
};

struct Explanation {
  Plan plan;
  double planning_s = 0;
  double bandwidth = 0;     // bytes per second of a copy of this size
  double floor_s = 0;       // one reading of the input and one writing of the output
  double plan_floor_s = 0;  // the plan's own traffic at that bandwidth
  double measured_s = 0;    // 0: not measured
  int threads = 1;
};

Explanation explain(const Arguments& arguments) {
  load_wisdom(arguments.problem);
  const Transform transform = make_transform(arguments.shape, arguments.problem);
  const Stopwatch watch;
  Plan plan(transform, make_plan_options(arguments.problem));
  Explanation result{std::move(plan), watch.seconds()};
  result.threads =
      arguments.problem.threads > 0 ? arguments.problem.threads : this_machine().usable_threads;
  const double once = static_cast<double>(input_bytes(result.plan) + output_bytes(result.plan));
  result.bandwidth = copy_bandwidth_for(static_cast<std::size_t>(once), result.threads);
  result.floor_s = once / result.bandwidth;
  result.plan_floor_s = result.plan.cost().bytes / result.bandwidth;
  if (arguments.measure) result.measured_s = time_plan(result.plan);
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
      {"floor_s", e.floor_s}};
  if (e.measured_s > 0) document["measured_s"] = e.measured_s;
  return document;
}

void print_cost(const Explanation& e) {
  const PlanCost cost = e.plan.cost();
  const Size size = size_of(e.plan.transform());
  const double nominal =
      nominal_flops(size.points, size.batch, has_real_side(e.plan.transform().kind));
  const double array = static_cast<double>(input_bytes(e.plan) + output_bytes(e.plan));
  fmt::print("Cost\n");
  fmt::print("  arithmetic   {:.4g} operations ({:.2f} of the conventional {:.4g})\n", cost.flops,
             cost.flops / nominal, nominal);
  fmt::print("  memory       {} in {} passes over the array; input and output together hold {}\n",
             bytes_text(cost.bytes), fmt::format("{:.3g}", cost.passes), bytes_text(array));
  fmt::print("  workspace    {}\n", bytes_text(static_cast<double>(e.plan.workspace_bytes())));
  fmt::print("  planning     {}\n", seconds_text(e.planning_s));
  fmt::print("Time with {} thread{}\n", e.threads, e.threads == 1 ? "" : "s");
  const auto line = [&](const char* name, double seconds) {
    fmt::print("  {:<12} {:>8}  {:>6.1f} Gflop/s  {:>5.1f} x the floor\n", name,
               seconds_text(seconds), nominal / seconds / 1e9, seconds / e.floor_s);
  };
  if (e.measured_s > 0) line("measured", e.measured_s);
  line("predicted", cost.predicted_s);
  fmt::print("  {:<12} {:>8}  one copy of the data, at the {:.1f} GB/s measured for this size\n",
             "floor", seconds_text(e.floor_s), e.bandwidth / 1e9);
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

void run_explain(const Arguments& arguments) {
  if (!arguments.ranks.empty()) {
    load_wisdom(arguments.problem);
    const RanksQuestion question{make_transform(arguments.shape, arguments.problem),
                                 arguments.ranks, arguments.ranks_per_node, arguments.measure};
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

void run_plan(const Arguments& arguments) {
  load_wisdom(arguments.problem);
  const Transform transform = make_transform(arguments.shape, arguments.problem);
  const Plan plan(transform, make_plan_options(arguments.problem));
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
      .add_option("SHAPE", arguments.shape, "Such as 512x512x512, 1009, 2^20; 64*1000 is a batch")
      ->required();
  add_problem_options(command, arguments.problem);
  command.add_flag("--latex", arguments.latex, "The formula as LaTeX");
  add_json_flag(command, arguments.json);
  return command;
}

}  // namespace

void add_plan_command(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command =
      add_command(app, "plan", "The recipe for a transform, on one line", *arguments);
  command.footer(
      "Examples:\n"
      "  weft plan 1009\n"
      "  weft plan --real --precision f32 --effort measure 4096x4096\n"
      "  weft plan --latex 64*1000");
  command.callback([arguments] { run_plan(*arguments); });
}

void add_explain_command(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command =
      add_command(app, "explain", "How a transform is done, and what it costs", *arguments);
  command.add_flag("--run", arguments->measure, "Run it as well, to compare with the prediction");
  command.add_option("--ranks", arguments->ranks,
                     "A distributed transform of bricks: a number of ranks, or a grid such as 2x4");
  command
      .add_option("--ranks-per-node", arguments->ranks_per_node,
                  "With --ranks: how many share memory; all if left away")
      ->check(CLI::PositiveNumber);
  command.footer(
      "Examples:\n"
      "  weft explain 512x512x512 --threads 0\n"
      "  weft explain 512x512x512 --ranks 2x4 --ranks-per-node 4\n"
      "  weft explain --real 64*1000 --run\n"
      "  weft explain --r2r dct2 1024x1024 --json");
  command.callback([arguments] { run_explain(*arguments); });
}

}  // namespace weft::tool
