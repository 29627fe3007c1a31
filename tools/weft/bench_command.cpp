// SPDX-License-Identifier: BSD-3-Clause
// weft bench local: weft and FFTW, or two efforts of weft, on the same memory, in turns, row by
// row.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/machine.hpp"
#include "bench/bench_page.hpp"
#include "bench/efforts.hpp"
#include "bench/limit.hpp"
#include "bench/mkl.hpp"
#include "bench/report.hpp"
#include "candidate_list.hpp"
#include "commands.hpp"
#include "file.hpp"
#include "local/array/plan_memory.hpp"
#include "problem.hpp"
#include "problem/request.hpp"
#include "progress.hpp"
#include "streams.hpp"
#include "timing.hpp"
#include "validators.hpp"
#include "weft/version.h"

namespace weft::tool {
namespace bench_command {

struct Arguments {
  std::vector<std::string> rows, kinds, precisions, places;
  std::vector<int> threads;
  std::string html, mkl_folder, fftw_folder, fftw_effort = "measure", effort = "measure";
  double fftw_time_limit_s = 60, time_limit_s = 10;
  double block_ms = 7;
  int rounds = 9;
  std::int64_t seed = RowSelection{}.seed;
  bool minimum = false, list = false, accuracy = false, plan_time = false, no_wisdom = false;
  bool compare_efforts = false, candidates = false;
  JsonTarget json;
};

RowSelection selection_of(const Arguments& arguments) {
  RowSelection selection;
  selection.rows = arguments.rows;
  selection.seed = arguments.seed;
  if (arguments.compare_efforts) selection.kinds = {Kind::c2c, Kind::r2c, Kind::c2r};
  if (!arguments.kinds.empty()) {
    const std::vector<Kind> known = selection.kinds;
    selection.kinds.clear();
    for (const std::string& text : arguments.kinds) {
      const auto kind = std::ranges::find(known, text, [](Kind k) { return to_string(k); });
      if (kind == known.end())
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("no rows of kind '{}'; choose c2c or r2c, or c2r with "
                                "--compare-efforts",
                                text));
      selection.kinds.push_back(*kind);
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

/// Plans the row by estimate, without wisdom: for the first time, and again. The best of three
/// each.
PlanningTimes measure_planning(const Row& row) {
  const Geometry geometry = geometry_of(row, Direction::forward);
  const auto time = [&] {
    const Stopwatch watch;
    const Plan plan(geometry.transform, geometry.in, geometry.out,
                    {.threads = row.threads, .use_wisdom = false});
    return watch.seconds();
  };
  PlanningTimes best{1e300, 1e300};
  for (int i = 0; i < 3; ++i) {
    local::forget_plans();
    best.first_s = std::min(best.first_s, time());
    best.again_s = std::min(best.again_s, time());
  }
  return best;
}

PlanOptions plan_options(const Arguments& arguments) {
  PlanOptions options;
  options.effort = parse_effort(arguments.effort);
  options.time_limit_s = arguments.time_limit_s;
  options.use_wisdom = !arguments.no_wisdom;
  return options;
}

TimingOptions timing_options(const Arguments& arguments) {
  TimingOptions timing{.block_s = arguments.block_ms * 1e-3, .rounds = arguments.rounds};
  if (arguments.minimum) timing.statistic = Statistic::minimum;
  return timing;
}

/// The libraries that weft is compared with.
struct Peers {
  Fftw fftw;
  std::optional<Mkl> mkl;
  Limits limits = {};
};

MklResult run_mkl(Pair& pair, const Mkl& mkl, const TimingOptions& timing) {
  const std::function<void()> run = mkl.plan(pair.problem(), pair.row().precision);
  const double difference = verify(pair, run, "MKL");
  const Times times = time_pair(pair, run, timing);
  return {times.second_s, times.ratio, difference};
}

Result run_row(const Row& row, Peers& peers, const Arguments& arguments, Progress& progress) {
  PairOptions options;
  options.weft = plan_options(arguments);
  options.fftw_effort = parse_fftw_effort(arguments.fftw_effort);
  progress.phase("planning " + row.label());
  Pair pair(row, Direction::forward, &peers.fftw, options);
  Result result;
  result.row = row;
  result.recipe = pair.plan().recipe();
  result.weft_planning_s = pair.weft_planning_s();
  result.fftw_planning_s = pair.fftw_planning_s();
  progress.phase("checking " + row.label());
  result.difference = verify(pair);
  progress.phase("timing " + row.label());
  result.times = time_pair(pair, pair.fftw(), timing_options(arguments));
  result.limit_s = peers.limits.seconds(work_of(row));
  const bool is_dft = row.kind != Kind::r2r;  // the others are for DFTs alone
  if (peers.mkl && is_dft) result.mkl = run_mkl(pair, *peers.mkl, timing_options(arguments));
  if (arguments.accuracy && is_dft) {
    progress.phase("accuracy " + row.label());
    result.accuracy = measure_accuracy(pair, peers.fftw, options);
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

/// The recipes that the planner considers for each row; `--effort patient` times all of them.
void print_row_candidates(const std::vector<Row>& rows, const Arguments& arguments) {
  nlohmann::json list = nlohmann::json::array();
  for (const Row& row : rows) {
    const Geometry geometry = geometry_of(row, Direction::forward);
    const PlanOptions options = plan_options(arguments);
    const auto request = problem::check_request(geometry.transform, geometry.in, geometry.out);
    const local::Comparison comparison = local::compare_candidates(
        request.problem,
        {.effort = options.effort,
         .time_limit_s = options.time_limit_s,
         .executor = row.threads == 1 ? serial_executor() : openmp_executor(row.threads)});
    if (arguments.json != "-") {
      fmt::print("{}\n", row.label());
      print_candidates(comparison);
      flush_standard_output();
    }
    list.push_back(candidates_json(comparison));
    list.back()["label"] = row.label();
  }
  write_json(arguments.json, {{"rows", list}});
}

template <class RowResult>
struct Outcome {
  std::vector<RowResult> results;
  std::vector<std::string> failures;
};

nlohmann::json with_surroundings(nlohmann::json document, const std::vector<std::string>& failures,
                                 const Arguments& arguments) {
  document["cpu"] = this_machine().cpu;
  document["weft"] = WEFT_VERSION;
  document["failures"] = failures;
  document["statistic"] = arguments.minimum ? "minimum" : "median";
  return document;
}

/// What is compared: `run_row` gives the result of a row, `print` prints it as a line, the first
/// with a heading, `document` has all results as JSON.
template <class RowResult>
struct Comparison {
  std::function<RowResult(const Row&, Progress&)> run_row;
  std::function<void(const RowResult&, bool first)> print;
  std::function<nlohmann::json(const Outcome<RowResult>&)> document;
  std::function<void(const std::vector<RowResult>&)> print_summary;
};

/// All rows, one after the other. A row that fails is reported and the others still run; a JSON
/// file is brought up to date after each row, so that an interrupted run is not lost.
template <class RowResult>
void run_rows(const std::vector<Row>& rows, const Comparison<RowResult>& comparison,
              const JsonTarget& json, const std::string& html = {}) {
  const bool as_text = json != "-";
  Outcome<RowResult> outcome;
  {
    Progress progress(ShowProgress::on_terminal, static_cast<double>(rows.size()));
    for (const Row& row : rows) {
      std::string failure;
      try {
        outcome.results.push_back(comparison.run_row(row, progress));
      } catch (const Error& error) {
        failure = row.label() + ": " + error.what();
      } catch (const Failed& failed) {
        failure = failed.reason;
      }
      progress.clear();
      if (!failure.empty()) {
        complain(failure);
        outcome.failures.push_back(failure);
      } else if (as_text) {
        comparison.print(outcome.results.back(), outcome.results.size() == 1);
      }
      if (as_text) write_json(json, comparison.document(outcome));
      progress.advance(1);
    }
  }
  if (as_text)
    comparison.print_summary(outcome.results);
  else
    write_json(json, comparison.document(outcome));
  if (!html.empty()) write_file(html, bench_page(comparison.document(outcome)));
  if (!outcome.failures.empty())
    throw Failed{fmt::format("{} of {} rows failed", outcome.failures.size(), rows.size())};
}

void run_with_fftw(const std::vector<Row>& rows, const Arguments& arguments) {
  load_wisdom({.no_wisdom = arguments.no_wisdom});
  Peers peers{Fftw(arguments.fftw_folder), std::nullopt};
  Fftw& fftw = peers.fftw;
  fftw.set_time_limit(arguments.fftw_time_limit_s);
  if (!arguments.mkl_folder.empty())
    peers.mkl.emplace(arguments.mkl_folder, std::ranges::max(rows, {}, &Row::threads).threads);
  const std::string mkl = peers.mkl ? peers.mkl->version() : "";
  if (arguments.json != "-")
    fmt::print("weft {} ({}) against {} ({}){}, {}\n", WEFT_VERSION, arguments.effort,
               fftw.version(Precision::f64), arguments.fftw_effort,
               mkl.empty() ? "" : " and " + mkl, this_machine().cpu);
  Comparison<Result> comparison;
  comparison.run_row = [&](const Row& row, Progress& progress) {
    return run_row(row, peers, arguments, progress);
  };
  comparison.print = [](const Result& result, bool first) {
    if (first) print_heading(result);
    print_line(result);
  };
  comparison.document = [&](const Outcome<Result>& outcome) {
    auto document = with_surroundings(as_json(outcome.results), outcome.failures, arguments);
    document["fftw"] = fftw.version(Precision::f64);
    if (!mkl.empty()) document["mkl"] = mkl;
    document["effort"] = {{"weft", arguments.effort}, {"fftw", arguments.fftw_effort}};
    return document;
  };
  comparison.print_summary = [](const auto& results) { print_summary(results); };
  run_rows(rows, comparison, arguments.json, arguments.html);
}

void run_efforts(const std::vector<Row>& rows, const Arguments& arguments) {
  const std::string& effort = arguments.effort;
  if (arguments.json != "-")
    fmt::print("weft {}: estimate against {}, both without wisdom, {}\n", WEFT_VERSION, effort,
               this_machine().cpu);
  Comparison<EffortResult> comparison;
  const auto limits = std::make_shared<Limits>();
  comparison.run_row = [&, limits](const Row& row, Progress& progress) {
    progress.phase("comparing " + row.label());
    EffortResult result = compare_efforts(row, plan_options(arguments), timing_options(arguments));
    result.limit_s = limits->seconds(work_of(row));
    return result;
  };
  comparison.print = [&](const EffortResult& result, bool first) {
    if (first) print_effort_heading(effort);
    print_line(result);
  };
  comparison.document = [&](const Outcome<EffortResult>& outcome) {
    auto document = with_surroundings(as_json(outcome.results), outcome.failures, arguments);
    document["effort"] = {{"estimate", "estimate"}, {"timed", effort}};
    return document;
  };
  comparison.print_summary = [&](const auto& results) { print_summary(results, effort); };
  run_rows(rows, comparison, arguments.json);
}

void run(const Arguments& arguments) {
  if (arguments.compare_efforts && parse_effort(arguments.effort) == Effort::estimate)
    throw Error(ErrorCode::invalid_argument,
                "--compare-efforts compares estimate with --effort; use --effort measure or "
                "patient there");
  const std::vector<Row> rows = select_rows(selection_of(arguments));
  if (arguments.list) return list_rows(rows, arguments.json);
  if (arguments.candidates) return print_row_candidates(rows, arguments);
  arguments.compare_efforts ? run_efforts(rows, arguments) : run_with_fftw(rows, arguments);
}

void add_choices(CLI::App& command, Arguments& arguments) {
  command
      .add_option(
          "--rows", arguments.rows,
          "Rows to run: groups (single, in-cache, odd, real, dct, primes, columns, large, "
          "2d, 3d, unseen), names (1024x1024), regular expressions that match the labels printed "
          "by --list, whole labels of rows of your own ('columns 3*1000 r2c f32 out 1t'), or "
          "lengths (2-256: each of them, one transform per call) "
          "(default: all but the groups odd, real, dct and unseen)")
      ->delimiter(',');
  command
      .add_option("--kinds", arguments.kinds,
                  "Kinds: c2c, r2c (default: both); with --compare-efforts also c2r")
      ->delimiter(',');
  command.add_option("--precisions", arguments.precisions, "Precisions: f32, f64 (default: both)")
      ->delimiter(',');
  command
      .add_option("--threads", arguments.threads,
                  "Numbers of threads, such as 1,2; 0: all cores (default: 1 and all cores)")
      ->delimiter(',')
      ->check(at_least(0));
  command
      .add_option("--place", arguments.places, "in: in place; out: out of place (default: both)")
      ->delimiter(',');
  command
      .add_option("--seed", arguments.seed,
                  "Seed of the random problems of the group unseen; each number gives 100 others")
      ->check(at_least(0));
  command.add_flag("--list", arguments.list, "Print the labels of the selected rows and stop");
}

void add_local(CLI::App& bench) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *bench.add_subcommand("local", "One machine: weft and FFTW side by side");
  add_choices(command, *arguments);
  command
      .add_option("--effort", arguments->effort,
                  "Planning effort of weft: estimate, measure or patient")
      ->capture_default_str();
  command
      .add_option("--time-limit", arguments->time_limit_s,
                  "Limit on weft's planning time per row, in seconds")
      ->capture_default_str();
  command.add_option("--fftw", arguments->fftw_folder,
                     "Folder of another build of FFTW (default: the one of the system)");
  command
      .add_option("--fftw-effort", arguments->fftw_effort,
                  "Planning effort of FFTW: estimate, measure or patient")
      ->capture_default_str();
  command
      .add_option("--fftw-time-limit", arguments->fftw_time_limit_s,
                  "Limit on FFTW's planning time per row, in seconds")
      ->capture_default_str();
  command.add_option("--mkl", arguments->mkl_folder,
                     "Also time MKL, from this folder with its libraries (libmkl_rt)");
  command.add_option("--rounds", arguments->rounds, "Timed blocks of calls per library and row")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--block-ms", arguments->block_ms, "Length of a timed block, in milliseconds")
      ->check(positive())
      ->capture_default_str();
  command.add_flag("--minimum", arguments->minimum,
                   "Compare the fastest rounds instead of the medians: better on a busy machine");
  command.add_flag(
      "--accuracy", arguments->accuracy,
      "Also print the errors of both libraries against long double, forward and round trip");
  command.add_flag(
      "--plan-time", arguments->plan_time,
      "Also time planning with --effort estimate: the first plan of a row, and a later one");
  command.add_flag("--no-wisdom", arguments->no_wisdom, "Do not use wisdom");
  command.add_option("--html", arguments->html,
                     "Also write the results as a page: bars, and Gflop/s over n");
  CLI::Option* compare = command.add_flag(
      "--compare-efforts", arguments->compare_efforts,
      "Compare two plans of weft instead of weft and FFTW: the one by estimate and the one by "
      "--effort, both without wisdom");
  CLI::Option* candidates = command.add_flag(
      "--candidates", arguments->candidates,
      "List the recipes that the planner considers for each row, with predicted and measured "
      "times; --effort patient: measure all of them");
  compare->excludes(candidates);
  for (const char* of_fftw : {"--fftw", "--mkl", "--fftw-effort", "--fftw-time-limit", "--accuracy",
                              "--plan-time", "--html"}) {
    compare->excludes(of_fftw);
    candidates->excludes(of_fftw);
  }
  command
      .add_option("--json", arguments->json,
                  "Write the results as JSON to this file; without a name: print them")
      ->expected(0, 1)
      ->default_str("-");
  command.footer(
      "Both libraries use the same memory and run in turns. The ratio is FFTW's time divided by\n"
      "weft's, the median over the rounds. Results are compared first; if they differ, the exit\n"
      "code is 1.\n"
      "Examples:\n"
      "  weft bench local --rows in-cache --threads 1\n"
      "  weft bench local --rows 3d,'^1024x1024 c2c' --precisions f64 --json bench.json\n"
      "  weft bench local --fftw /opt/fftw-avx512/lib --accuracy\n"
      "  weft bench local --rows single --threads 1 --effort estimate --mkl /opt/mkl/lib\n"
      "  weft bench local --rows in-cache,odd,large --html bench.html\n"
      "  weft bench local --compare-efforts --rows unseen --seed 7 --minimum\n"
      "  weft bench local --candidates --effort patient --rows 'columns 3*1000 r2c f32 out 1t'");
  command.callback([arguments, &command] {
    if (command.count("--json") > 0 && arguments->json.empty()) arguments->json = "-";
    run(*arguments);
  });
}

}  // namespace bench_command

void add_bench_command(CLI::App& app) {
  using namespace bench_command;
  CLI::App& bench = *app.add_subcommand("bench", "Measure weft against its peers");
  bench.require_subcommand(1);
  add_local(bench);
  add_bench_mpi_command(bench);
  add_bench_global1d_command(bench);
  add_bench_npb_command(bench);
  add_bench_hpcc_command(bench);
  add_bench_gpu_command(bench);
  add_bench_operator_command(bench);
}

}  // namespace weft::tool
