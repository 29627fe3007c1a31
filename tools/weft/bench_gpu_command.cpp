// SPDX-License-Identifier: BSD-3-Clause
// weft bench gpu: times weft, cuFFT and a plain copy on the same memory, in turns, row by row;
// every row is checked against f64 before it is timed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/cufft.hpp"
#include "bench/gpu_measurement.hpp"
#include "bench/gpu_passes.hpp"
#include "bench/gpu_summary.hpp"
#include "commands.hpp"
#include "gpu/choose/candidates.hpp"
#include "gpu/choose/tuner.hpp"
#include "gpu/device/engine.hpp"
#include "gpu/device/numbers.hpp"
#include "gpu/recipe/cost.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "problem.hpp"
#include "streams.hpp"
#include "text.hpp"
#include "weft/wisdom.hpp"

namespace weft::tool {
namespace bench_gpu_command {

struct Arguments {
  std::vector<std::string> rows;
  std::string effort = "measure", passes;
  double time_limit_s = 10;
  int device = 0, rounds = 21, capability = 0;
  bool list = false, explain = false, candidates = false, out_of_place = false, no_cufft = false,
       no_wisdom = false, compare_efforts = false;
  JsonTarget json;
};

/// The largest error that rounding explains; f16 is rounded once per pass, whatever the length.
double allowed_error(const GpuRow& row) {
  Index points = 1;
  for (Index n : row.shape) points *= n;
  const double levels = std::sqrt(std::log2(static_cast<double>(std::max<Index>(points, 2))));
  if (row.precision == Precision::f16) return 1e-3;
  return (row.precision == Precision::f32 ? 6e-8 : 1.2e-16) * 2 * levels;
}

bool has_passed(const GpuResult& r) {
  const double allowed = allowed_error(r.row);
  return r.weft_error <= allowed && r.difference <= allowed && r.other_error <= allowed &&
         r.direct_error <= 1e-9;
}

void print_heading() {
  fmt::print("{:<28} {:>9} {:>9} {:>7} {:>6} {:>7} {:>9} {:>9} {:>6}\n", "row", "weft ms",
             "cuFFT ms", "ratio", "TB/s", "copies", "error", "cuFFT's", "passes");
}

void print_line(const GpuResult& r) {
  const std::string cufft = r.cufft_ms ? fmt::format("{:.4f}", *r.cufft_ms) : "-";
  const std::string ratio = r.cufft_ms ? fmt::format("{:.2f}", *r.cufft_ms / r.weft_ms) : "-";
  const std::string cufft_error = r.cufft_error ? fmt::format("{:.2e}", *r.cufft_error) : "-";
  fmt::print("{:<28} {:>9.4f} {:>9} {:>7} {:>6.2f} {:>7.2f} {:>9.2e} {:>9} {:>6}\n", label(r.row),
             r.weft_ms, cufft, ratio, r.bytes / r.weft_ms * 1e-9, r.weft_ms / r.copy_ms,
             r.weft_error, cufft_error, r.passes);
  flush_standard_output();
}

nlohmann::json as_json(const GpuResult& r) {
  nlohmann::json json{{"row", label(r.row)},        {"weft_ms", r.weft_ms},
                      {"copy_ms", r.copy_ms},       {"bytes", r.bytes},
                      {"passes", r.passes},         {"weft_error", r.weft_error},
                      {"difference", r.difference}, {"direct_error", r.direct_error},
                      {"recipe", r.recipe}};
  if (r.cufft_ms) json["cufft_ms"] = *r.cufft_ms;
  if (r.other_ms)
    json.update({{"timed_ms", *r.other_ms},
                 {"timed_error", r.other_error},
                 {"timed_recipe", r.other_recipe}});
  if (r.cufft_error) json["cufft_error"] = *r.cufft_error;
  return json;
}

/// Times every recipe that the planner would consider, pass by pass, and prints the fastest first.
void print_candidates(const std::vector<GpuRow>& rows, const Arguments& arguments) {
  const gpu::GpuDevice& device = gpu::device(arguments.device);
  for (const GpuRow& row : rows) {
    const problem::ArrayProblem problem = problem_of(row);
    const auto timed =
        gpu::time_recipes(
            gpu::candidates(problem, gpu::numbers_of(device)), problem, device,
            gpu::tuning_limits(parse_effort(arguments.effort), arguments.time_limit_s))
            .timed;
    fmt::print("{}: {} recipes\n", label(row), timed.size());
    for (const gpu::TimedRecipe& t : timed) {
      fmt::print("  {:.4f} ms, {:.4f} predicted\n", t.ms,
                 gpu::predicted_seconds(t.recipe, gpu::numbers_of(device)) * 1e3);
      for (std::size_t s = 0; s < t.passes.size(); ++s)
        fmt::print("    {:.4f} ms, {} registers, {} bytes spilled: {}\n", t.passes[s].ms,
                   t.passes[s].registers, t.passes[s].spilled_bytes,
                   gpu::to_text(t.recipe.passes[s].pass));
    }
    flush_standard_output();
  }
}

void run(const Arguments& arguments) {
  const std::vector<GpuRow> rows = select_gpu_rows(arguments.rows);
  if (arguments.list) {
    for (const GpuRow& row : rows) fmt::print("{}\n", label(row));
    return;
  }
  if (arguments.capability > 0) {
    std::vector<gpu::Recipe> recipes;
    for (const GpuRow& row : rows) {
      const auto found = gpu::candidates(problem_of(row), {});
      const bool is_estimate = parse_effort(arguments.effort) == Effort::estimate;
      recipes.insert(recipes.end(), found.begin(), is_estimate ? found.begin() + 1 : found.end());
    }
    gpu::compile_all(recipes, arguments.capability);
    fmt::print("compiled {} recipes for sm_{}\n", recipes.size(), arguments.capability);
    return;
  }
  if (arguments.candidates) return print_candidates(rows, arguments);
  if (!arguments.passes.empty())
    return time_gpu_passes(rows,
                           {.device = arguments.device, .time_limit_s = arguments.time_limit_s},
                           arguments.passes);
  if (!arguments.no_wisdom) wisdom::load_default();
  const gpu::GpuDevice& device = gpu::device(arguments.device);
  const gpu::UseDevice use(device);
  const GpuArrays arrays(device);
  GpuOptions options;
  options.plan = {arguments.device, parse_effort(arguments.effort), arguments.time_limit_s,
                  !arguments.no_wisdom};
  if (arguments.compare_efforts) {
    options.other_plan = options.plan;
    options.other_plan->use_wisdom = options.plan.use_wisdom = false;
    options.plan.effort = Effort::estimate;
  }
  options.rounds = arguments.rounds;
  options.use_cufft = !arguments.no_cufft;
  options.in_place = !arguments.out_of_place;
  int version = 0;
  gpu::driver().driver_version(&version);
  fmt::print("{}, CUDA driver {}.{}, cuFFT {}; median of {} after warm-up, fresh data each time\n",
             device.name, version / 1000, version % 1000 / 10, cufft_version(), arguments.rounds);
  const gpu::DeviceNumbers numbers = gpu::numbers_of(device);
  fmt::print("the model plans for {} multiprocessors and copies of {:.2f} TB/s\n",
             numbers.multiprocessors, numbers.copy_bytes_per_s * 1e-12);
  if (arguments.compare_efforts)
    print_gpu_effort_heading(arguments.effort);
  else
    print_heading();
  nlohmann::json json = nlohmann::json::array();
  std::vector<GpuResult> results;
  std::vector<std::string> failures;
  for (const GpuRow& row : rows) try {
      const GpuResult result = measure(row, options, arrays);
      if (arguments.compare_efforts)
        print_gpu_effort_line(result);
      else
        print_line(result);
      if (arguments.explain) fmt::print("{}", result.explanation);
      json.push_back(as_json(result));
      results.push_back(result);
      if (!has_passed(result)) failures.push_back(label(row));
    } catch (const Error& error) {
      fmt::print("{:<28} {}\n", label(row), error.what());
      failures.push_back(label(row));
    }
  write_json(arguments.json, {{"device", device.name},
                              {"driver", version},
                              {"cufft", cufft_version()},
                              {"rounds", arguments.rounds},
                              {"results", json}});
  if (arguments.compare_efforts) print_gpu_effort_summary(results, arguments.effort);
  print_faster_in_cufft(results);
  if (options.plan.use_wisdom && options.plan.effort != Effort::estimate)
    wisdom::save(wisdom::default_path());
  if (!failures.empty())
    throw Failed{fmt::format("{} of {} rows failed, the first is {}", failures.size(), rows.size(),
                             failures.front())};
}

}  // namespace bench_gpu_command

void add_bench_gpu_command(CLI::App& bench) {
  using namespace bench_gpu_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *bench.add_subcommand("gpu", "One GPU: weft, cuFFT and a plain copy");
  command
      .add_option("--rows", arguments->rows,
                  "Rows to run: regular expressions that match the labels printed by --list "
                  "(default: all), "
                  "whole labels of other rows, or 'unseen': 60 sizes that nothing was fitted to")
      ->delimiter(',');
  command
      .add_option("--effort", arguments->effort, "Planning effort: estimate, measure or patient")
      ->capture_default_str();
  command
      .add_option("--time-limit", arguments->time_limit_s,
                  "Limit on weft's planning time per row, in seconds")
      ->capture_default_str();
  command.add_option("--device", arguments->device, "Number of the GPU")->capture_default_str();
  command
      .add_option("--rounds", arguments->rounds, "Timed calls per row of weft, cuFFT and the copy")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_flag("--out-of-place", arguments->out_of_place,
                   "Run c2c out of place (default: in place)");
  command.add_flag("--no-cufft", arguments->no_cufft, "Time only weft and the copy");
  command.add_flag("--no-wisdom", arguments->no_wisdom, "Neither read nor save wisdom");
  command.add_flag("--explain", arguments->explain, "Print the passes of each row");
  command.add_option(
      "--compile", arguments->capability,
      "Only compile the kernels for this compute capability, such as 90; needs no GPU");
  command.add_flag("--candidates", arguments->candidates,
                   "Time every recipe that --effort considers, pass by pass");
  command.add_option("--passes", arguments->passes,
                     "Only time passes of the recipes of all rows, in turns until --time-limit for "
                     "all rows together, and write a line of JSON for each to this file");
  command.add_flag("--compare-efforts", arguments->compare_efforts,
                   "Time the plan of effort estimate, that of --effort and cuFFT in turns");
  command.add_flag("--list", arguments->list, "Print the labels of the selected rows and stop");
  add_json_flag(command, arguments->json);
  command.footer(
      "TB/s counts one read and one write of the array. copies is the time divided by\n"
      "that of a plain copy of the same number of bytes. Errors are relative L2 errors:\n"
      "f16 and f32 against f64 on the same data, f64 against long double in one plane of\n"
      "outputs. A row fails (exit code 1) if its error is larger than rounding explains.\n"
      "Examples:\n"
      "  weft bench gpu --rows '^512x512x512'\n"
      "  weft bench gpu --rows '343x343x343 c2c f32' --explain\n"
      "  weft bench gpu --rows unseen --compare-efforts\n"
      "  weft bench gpu --effort patient --json=gpu.json");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
