// SPDX-License-Identifier: BSD-3-Clause
// weft tune SHAPE...: times recipes and saves the fastest in the wisdom file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "comm/agree.hpp"
#include "commands.hpp"
#include "mpi/runtime.hpp"
#include "mpi/tune_ranks.hpp"
#include "problem.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "timing.hpp"
#include "validators.hpp"
#include "weft/wisdom.hpp"

namespace weft::tool {
namespace tune_command {

struct Arguments {
  std::vector<std::string> shapes;
  ProblemOptions problem{.effort = "measure"};
  std::vector<std::string> precisions;
  std::vector<int> threads;
  std::string wisdom;
  JsonTarget json;
};

/// All combinations of shapes, precisions and thread counts.
std::vector<std::pair<Transform, PlanOptions>> problems(const Arguments& arguments) {
  std::vector<std::pair<Transform, PlanOptions>> result;
  ProblemOptions options = arguments.problem;
  if (options.no_wisdom)
    throw Error(ErrorCode::invalid_argument, "weft tune writes wisdom; remove --no-wisdom");
  if (parse_effort(options.effort) == Effort::estimate)
    throw Error(ErrorCode::invalid_argument,
                "--effort estimate measures nothing; use --effort measure or patient");
  for (const std::string& precision : arguments.precisions)
    for (const int threads : arguments.threads)
      for (const std::string& shape : arguments.shapes) {
        options.precision = precision;
        options.threads = threads;
        result.emplace_back(make_transform(shape, options), make_plan_options(options));
      }
  return result;
}

/// If the wisdom file cannot be written, this throws before anything is measured.
void load_if_there(const std::string& path) {
  std::error_code ignored;  // load() reports the error
  if (std::filesystem::status(path, ignored).type() != std::filesystem::file_type::not_found)
    wisdom::load(path);
}

/// With several ranks: all measure, rank 0 saves.
void run_on_ranks(const Arguments& arguments, const std::string& path) {
  const auto comm = tool_comm();
  agree(*comm, [&] {
    if (comm->rank() == 0) load_if_there(path);
  });
  nlohmann::json document = tune_ranks(problems(arguments), *comm, arguments.json == "-");
  agree(*comm, [&] {
    if (comm->rank() == 0) wisdom::save(path);
  });
  if (comm->rank() != 0) return;
  if (arguments.json != "-") fmt::print("{} entries in {}\n", wisdom::size(), path);
  document["wisdom"] = path;
  document["recipes"] = wisdom::size();
  write_json(arguments.json, document);
}

void run(Arguments& arguments) {
  if (arguments.precisions.empty()) arguments.precisions = {"f64"};
  if (arguments.threads.empty()) arguments.threads = {1};
  const auto todo = problems(arguments);
  const std::string path = arguments.wisdom.empty() ? wisdom::default_path() : arguments.wisdom;
  if (tool_comm()->size() > 1) return run_on_ranks(arguments, path);
  load_if_there(path);
  nlohmann::json rows = nlohmann::json::array();
  {
    Progress progress(ShowProgress::on_terminal, static_cast<double>(todo.size()));
    for (const auto& [transform, options] : todo) {
      progress.phase(describe(transform));
      const Stopwatch watch;
      const Plan plan(transform, options);
      const double planning = watch.seconds();
      progress.advance(1);
      if (arguments.json != "-") {
        progress.clear();
        fmt::print("{:<40} {} thread{}: {}\n", describe(transform), options.threads,
                   options.threads == 1 ? "" : "s", plan.recipe());
      }
      rows.push_back({{"transform", describe(transform)},
                      {"threads", options.threads},
                      {"recipe", plan.recipe()},
                      {"planning_s", planning}});
    }
  }
  wisdom::save(path);
  if (arguments.json != "-") fmt::print("{} recipes in {}\n", wisdom::size(), path);
  write_json(arguments.json, {{"wisdom", path}, {"recipes", wisdom::size()}, {"tuned", rows}});
}

}  // namespace tune_command

void add_tune_command(CLI::App& app) {
  using namespace tune_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *app.add_subcommand("tune", "Time recipes and save the fastest as wisdom");
  command
      .add_option("SHAPE", arguments->shapes,
                  "One or more shapes, such as 512x512, 2^20 or 64*1000")
      ->required();
  ProblemOptions& problem = arguments->problem;
  command.add_flag("--real", problem.real, "Real input (r2c); with --inverse: real output (c2r)");
  command.add_flag("--inverse", problem.inverse, "Backward (inverse) transform");
  command.add_option("--r2r", problem.r2r,
                     "Real to real: dct1 to dct4, dst1 to dst4, dht, r2hc, hc2r");
  command
      .add_option("--precision", arguments->precisions,
                  "Precisions: f16, f32, f64, separated by commas (default: f64)")
      ->delimiter(',');
  command
      .add_option("--threads", arguments->threads,
                  "Numbers of threads, separated by commas; 0: all cores (default: 1)")
      ->delimiter(',')
      ->check(at_least(0));
  command.add_option("--effort", problem.effort, "Planning effort: measure or patient")
      ->capture_default_str();
  command
      .add_option("--time-limit", problem.time_limit_s,
                  "Limit on the time for measuring recipes, in seconds per plan")
      ->capture_default_str();
  command.add_option("--wisdom", arguments->wisdom,
                     "Wisdom file to update (default: $WEFT_WISDOM, or weft/wisdom.json in the "
                     "user's cache folder)");
  add_json_flag(command, arguments->json);
  command.footer(
      "Examples:\n"
      "  weft tune 1024 4096 2^20\n"
      "  weft tune --effort patient --precision f32,f64 --threads 1,0 512x512x512\n"
      "  weft tune --wisdom here.json --real 64*1000\n"
      "  mpiexec -n 4 weft tune 256x256x256      slabs on four ranks; measures the network");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
