// SPDX-License-Identifier: BSD-3-Clause
// weft bench local: weft and FFTW on the same memory, in turns, row by row.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/machine.hpp"
#include "bench/report.hpp"
#include "commands.hpp"
#include "problem.hpp"
#include "progress.hpp"
#include "timing.hpp"

namespace weft::tool {
namespace {

struct Arguments {
  std::vector<std::string> rows, kinds, precisions, places;
  std::vector<int> threads;
  std::string fftw_folder, fftw_effort = "measure", effort = "measure";
  double fftw_time_limit_s = 60, time_limit_s = 10;
  double block_ms = 7;
  int rounds = 9;
  bool minimum = false, list = false, accuracy = false, plan_time = false, no_wisdom = false;
  JsonTarget json;
};

RowSelection selection_of(const Arguments& arguments) {
  RowSelection selection;
  selection.rows = arguments.rows;
  if (!arguments.kinds.empty()) {
    selection.kinds.clear();
    for (const std::string& kind : arguments.kinds) {
      if (kind != "c2c" && kind != "r2c")
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("no rows of kind '{}'; choose c2c or r2c", kind));
      selection.kinds.push_back(kind == "c2c" ? Kind::c2c : Kind::r2c);
    }
  }
  if (!arguments.precisions.empty()) {
    selection.precisions.clear();
    for (const std::string& text : arguments.precisions) {
      selection.precisions.push_back(parse_precision(text));
      if (selection.precisions.back() == Precision::f16)
        throw Error(ErrorCode::invalid_argument, "FFTW has no f16 to compare with; use f32, f64");
    }
  }
  if (!arguments.places.empty()) {
    selection.places.clear();
    for (const std::string& place : arguments.places) {
      if (place != "in" && place != "out")
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("no place is called '{}'; choose in or out", place));
      selection.places.push_back(place == "in" ? Place::in : Place::out);
    }
  }
  const int all = this_machine().usable_threads;
  selection.threads = arguments.threads;
  if (selection.threads.empty()) selection.threads = all > 1 ? std::vector{1, all} : std::vector{1};
  for (int& threads : selection.threads)
    if (threads == 0) threads = all;
  return selection;
}

FftwEffort parse_fftw_effort(const std::string& text) {
  switch (parse_effort(text)) {
    case Effort::estimate: return FftwEffort::estimate;
    case Effort::measure: return FftwEffort::measure;
    case Effort::patient: return FftwEffort::patient;
  }
  return FftwEffort::measure;
}

/// Plans the row again by estimate: with the wisdom that measuring it has left, and without. The
/// best of three each, as a user meets it after the first call.
PlanningTimes measure_planning(const Row& row) {
  const Geometry geometry = geometry_of(row, Direction::forward);
  const auto best_of_three = [&](bool use_wisdom) {
    double best = 1e300;
    for (int i = 0; i < 3; ++i) {
      const Stopwatch watch;
      const Plan plan(geometry.transform, geometry.in, geometry.out,
                      {.threads = row.threads, .use_wisdom = use_wisdom});
      best = std::min(best, watch.seconds());
    }
    return best;
  };
  return {best_of_three(false), best_of_three(true)};
}

Result run_row(const Row& row, Fftw& fftw, const Arguments& arguments, Progress& progress) {
  PairOptions options;
  options.weft.effort = parse_effort(arguments.effort);
  options.weft.time_limit_s = arguments.time_limit_s;
  options.weft.use_wisdom = !arguments.no_wisdom;
  options.fftw_effort = parse_fftw_effort(arguments.fftw_effort);
  progress.phase("planning " + row.label());
  Pair pair(row, Direction::forward, &fftw, options);
  Result result;
  result.row = row;
  result.recipe = pair.plan().recipe();
  result.weft_planning_s = pair.weft_planning_s();
  result.fftw_planning_s = pair.fftw_planning_s();
  progress.phase("checking " + row.label());
  result.difference = verify(pair);
  progress.phase("timing " + row.label());
  TimingOptions timing{.block_s = arguments.block_ms * 1e-3, .rounds = arguments.rounds};
  if (arguments.minimum) timing.statistic = Statistic::minimum;
  result.times = time_pair(pair, timing);
  if (arguments.accuracy) {
    progress.phase("accuracy " + row.label());
    result.accuracy = measure_accuracy(pair, fftw, options);
  }
  if (arguments.plan_time) result.planning = measure_planning(row);
  return result;
}

void list_rows(const std::vector<Row>& rows, const JsonTarget& target) {
  nlohmann::json labels = nlohmann::json::array();
  for (const Row& row : rows) {
    if (target != "-") fmt::print("{:<10} {}\n", row.group, row.label());
    labels.push_back({{"group", row.group}, {"label", row.label()}});
  }
  write_json(target, labels);
}

struct Outcome {
  std::vector<Result> results;
  std::vector<std::string> failures;
};

nlohmann::json document_of(const Outcome& outcome, const Fftw& fftw, const Arguments& arguments) {
  nlohmann::json document = as_json(outcome.results);
  document["cpu"] = this_machine().cpu;
  document["weft"] = WEFT_VERSION;
  document["fftw"] = fftw.version(Precision::f64);
  document["failures"] = outcome.failures;
  document["statistic"] = arguments.minimum ? "minimum" : "median";
  document["effort"] = {{"weft", arguments.effort}, {"fftw", arguments.fftw_effort}};
  return document;
}

/// All rows, one after the other. A row that fails is reported and the others still run; a JSON
/// file is brought up to date after each row, so that an interrupted run is not lost.
Outcome run_rows(const std::vector<Row>& rows, Fftw& fftw, const Arguments& arguments) {
  const bool as_text = arguments.json != "-";
  Outcome outcome;
  Progress progress(ShowProgress::on_terminal, static_cast<double>(rows.size()));
  for (const Row& row : rows) {
    std::string failure;
    try {
      outcome.results.push_back(run_row(row, fftw, arguments, progress));
    } catch (const Error& error) {
      failure = row.label() + ": " + error.what();
    } catch (const Failed& failed) {
      failure = failed.reason;
    }
    progress.clear();
    if (!failure.empty()) {
      fmt::print(stderr, "weft: {}\n", failure);
      outcome.failures.push_back(failure);
    } else if (as_text) {
      if (outcome.results.size() == 1) print_heading(outcome.results.back());
      print_line(outcome.results.back());
    }
    if (as_text) write_json(arguments.json, document_of(outcome, fftw, arguments));
    progress.advance(1);
  }
  return outcome;
}

void run(const Arguments& arguments) {
  if (arguments.plan_time && arguments.no_wisdom)
    throw Error(ErrorCode::invalid_argument,
                "--plan-time compares planning with and without wisdom; leave --no-wisdom away");
  const std::vector<Row> rows = select_rows(selection_of(arguments));
  if (arguments.list) return list_rows(rows, arguments.json);
  load_wisdom({.no_wisdom = arguments.no_wisdom});
  Fftw fftw(arguments.fftw_folder);
  fftw.set_time_limit(arguments.fftw_time_limit_s);
  if (arguments.json != "-")
    fmt::print("weft {} ({}) against {} ({}), {}\n", WEFT_VERSION, arguments.effort,
               fftw.version(Precision::f64), arguments.fftw_effort, this_machine().cpu);
  const Outcome outcome = run_rows(rows, fftw, arguments);
  if (arguments.json == "-")
    write_json(arguments.json, document_of(outcome, fftw, arguments));
  else
    print_summary(outcome.results);
  if (!outcome.failures.empty())
    throw Failed{fmt::format("{} of {} rows failed", outcome.failures.size(), rows.size())};
}

void add_choices(CLI::App& command, Arguments& arguments) {
  command
      .add_option("--rows", arguments.rows,
                  "Groups (in-cache, primes, columns, large, 2d, 3d), names (1024x1024) or "
                  "regular expressions on the labels of --list")
      ->delimiter(',');
  command.add_option("--kinds", arguments.kinds, "c2c, r2c; both if left away")->delimiter(',');
  command.add_option("--precisions", arguments.precisions, "f32, f64; both if left away")
      ->delimiter(',');
  command
      .add_option("--threads", arguments.threads, "Such as 1,2; 0 for all; 1 and all if left away")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber);
  command.add_option("--place", arguments.places, "in, out; both if left away")->delimiter(',');
  command.add_flag("--list", arguments.list, "Name the chosen rows and stop");
}

void add_local(CLI::App& bench) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *bench.add_subcommand("local", "One machine: weft and FFTW side by side");
  add_choices(command, *arguments);
  command.add_option("--effort", arguments->effort, "weft: estimate, measure or patient")
      ->capture_default_str();
  command.add_option("--time-limit", arguments->time_limit_s, "Seconds weft may plan a row")
      ->capture_default_str();
  command.add_option("--fftw", arguments->fftw_folder, "Folder with another build of FFTW");
  command.add_option("--fftw-effort", arguments->fftw_effort, "FFTW: estimate, measure or patient")
      ->capture_default_str();
  command
      .add_option("--fftw-time-limit", arguments->fftw_time_limit_s, "Seconds FFTW may plan a row")
      ->capture_default_str();
  command.add_option("--rounds", arguments->rounds, "Timed blocks of each library per row")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--block-ms", arguments->block_ms, "Milliseconds of one timed block")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_flag("--minimum", arguments->minimum,
                   "The fastest round of each instead of the median: for busy machines");
  command.add_flag("--accuracy", arguments->accuracy,
                   "Errors against long double as well, forward and round trip");
  command.add_flag("--plan-time", arguments->plan_time,
                   "Planning by estimate as well, with and without wisdom");
  command.add_flag("--no-wisdom", arguments->no_wisdom, "Neither read nor use tuned recipes");
  command
      .add_option("--json", arguments->json, "JSON to a file; without a name to standard output")
      ->expected(0, 1)
      ->default_str("-");
  command.footer(
      "Both libraries use the same memory; blocks of calls alternate; the ratio is the median "
      "over\n"
      "the rounds of FFTW's time by weft's. Results are compared before timing (exit code 1).\n"
      "Examples:\n"
      "  weft bench local --rows in-cache --threads 1\n"
      "  weft bench local --rows 3d,'^1024x1024 c2c' --precisions f64 --json bench.json\n"
      "  weft bench local --fftw /opt/fftw-avx512/lib --accuracy");
  command.callback([arguments, &command] {
    if (command.count("--json") > 0 && arguments->json.empty()) arguments->json = "-";
    run(*arguments);
  });
}

}  // namespace

void add_bench_command(CLI::App& app) {
  CLI::App& bench = *app.add_subcommand("bench", "Measure weft against its peers");
  bench.require_subcommand(1);
  add_local(bench);
  add_bench_mpi_command(bench);
  add_bench_global1d_command(bench);
  add_bench_npb_command(bench);
  add_bench_hpcc_command(bench);
  add_bench_gpu_command(bench);
}

}  // namespace weft::tool
