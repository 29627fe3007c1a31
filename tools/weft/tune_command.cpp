// SPDX-License-Identifier: BSD-3-Clause
// weft tune SHAPE...: measures recipes and keeps the winners in the wisdom file.
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
#include "weft/wisdom.hpp"

namespace weft::tool {
namespace {

struct Arguments {
  std::vector<std::string> shapes;
  ProblemOptions problem{.effort = "measure"};
  std::vector<std::string> precisions;
  std::vector<int> threads;
  std::string wisdom;
  JsonTarget json;
};

/// The product of all that was listed, as one problem after another.
std::vector<std::pair<Transform, PlanOptions>> problems(const Arguments& arguments) {
  std::vector<std::pair<Transform, PlanOptions>> result;
  ProblemOptions options = arguments.problem;
  if (options.no_wisdom)
    throw Error(ErrorCode::invalid_argument, "tuning is for wisdom; leave --no-wisdom away");
  if (parse_effort(options.effort) == Effort::estimate)
    throw Error(ErrorCode::invalid_argument,
                "effort estimate measures nothing; tune with --effort measure or patient");
  for (const std::string& precision : arguments.precisions)
    for (const int threads : arguments.threads)
      for (const std::string& shape : arguments.shapes) {
        options.precision = precision;
        options.threads = threads;
        result.emplace_back(make_transform(shape, options), make_plan_options(options));
      }
  return result;
}

/// Many ranks: all measure, the first one saves.
void run_on_ranks(const Arguments& arguments, const std::string& path) {
  const auto comm = tool_comm();
  agree(*comm, [&] {
    if (comm->rank() == 0 && std::filesystem::exists(path)) wisdom::load(path);
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
  if (std::filesystem::exists(path)) wisdom::load(path);
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
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;  // save() says it better
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  wisdom::save(path);
  if (arguments.json != "-") fmt::print("{} recipes in {}\n", wisdom::size(), path);
  write_json(arguments.json, {{"wisdom", path}, {"recipes", wisdom::size()}, {"tuned", rows}});
}

}  // namespace

void add_tune_command(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *app.add_subcommand("tune", "Measure recipes and remember the fastest");
  command.add_option("SHAPE", arguments->shapes, "Shapes such as 512x512, 2^20, 64*1000")
      ->required();
  ProblemOptions& problem = arguments->problem;
  command.add_flag("--real", problem.real, "Real input (r2c); with --inverse real output (c2r)");
  command.add_flag("--inverse", problem.inverse, "The backward transform");
  command.add_option("--r2r", problem.r2r, "Real to real: dct1 ... dct4, dst1 ... dst4, dht");
  command.add_option("--precision", arguments->precisions, "f16, f32, f64; several with commas")
      ->delimiter(',');
  command.add_option("--threads", arguments->threads, "Threads, 0 for all; several with commas")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber);
  command.add_option("--effort", problem.effort, "measure or patient")->capture_default_str();
  command.add_option("--time-limit", problem.time_limit_s, "Seconds for each plan")
      ->capture_default_str();
  command.add_option("--wisdom", arguments->wisdom,
                     "File to fill; else $WEFT_WISDOM or the user's cache folder");
  add_json_flag(command, arguments->json);
  command.footer(
      "Examples:\n"
      "  weft tune 1024 4096 2^20\n"
      "  weft tune --effort patient --precision f32,f64 --threads 1,0 512x512x512\n"
      "  weft tune --wisdom here.json --real 64*1000\n"
      "  mpiexec -n 4 weft tune 256x256x256      slabs on four ranks, and the network's speeds");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
