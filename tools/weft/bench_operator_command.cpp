// SPDX-License-Identifier: BSD-3-Clause
// weft bench operator: a convolution as one SpectralOperator, beside three steps of weft and of
// FFTW, or on a GPU of cuFFT.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/machine.hpp"
#include "base/names.hpp"
#include "bench/convolution.hpp"
#include "bench/cufft.hpp"
#include "bench/gpu_convolution.hpp"
#include "bench/gpu_projection.hpp"
#include "bench/rank_operator.hpp"
#include "bench/report.hpp"
#include "commands.hpp"
#include "mpi/runtime.hpp"
#include "problem.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "validators.hpp"
#include "weft/cuda.hpp"

namespace weft::tool {
namespace bench_operator_command {

struct Arguments {
  std::vector<std::string> sizes{"256x256x256"}, kinds{"c2c", "r2c"}, precisions{"f32", "f64"};
  std::vector<int> threads;
  std::string effort = "estimate", fftw_folder, device = "cpu";
  double time_limit_s = 10, fftw_time_limit_s = 10;
  int rounds = 9, fields = 1;
  bool no_wisdom = false, no_fftw = false, no_cufft = false, explain = false,
       processor_time = false, ways = false;
  JsonTarget json;
};

std::vector<ConvolutionRow> rows_of(const Arguments& arguments) {
  std::vector<ConvolutionRow> rows;
  std::vector<int> threads = arguments.threads;
  const int all = this_machine().usable_threads;
  if (arguments.device != "cpu") threads = {1};  // of the host
  if (threads.empty()) threads = all > 1 ? std::vector{1, all} : std::vector{1};
  for (const std::string& size : arguments.sizes) {
    const ShapeArgument shape = parse_shape(size);
    if (!shape.batch.empty())
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("'{}' is a batch; give the shape of one array", size));
    for (const std::string& kind : arguments.kinds) {
      if (kind != "c2c" && kind != "r2c")
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("no operator of kind '{}'; choose c2c or r2c", kind));
      for (const std::string& precision : arguments.precisions) {
        const Precision parsed = parse_precision(precision);
        if (parsed == Precision::f16)
          throw Error(ErrorCode::invalid_argument, "operators work in f32 and f64, not in f16");
        for (int number : threads)
          rows.push_back({shape.shape, kind == "c2c" ? Kind::c2c : Kind::r2c, parsed,
                          number == 0 ? all : number});
      }
    }
  }
  return rows;
}

nlohmann::json as_json(const ConvolutionResult& r) {
  nlohmann::json json{{"row", label(r.row)},  {"operator_s", r.operator_s},
                      {"steps_s", r.steps_s}, {"difference", r.difference},
                      {"passes", r.passes},   {"explanation", r.explanation}};
  if (r.fftw_s) json["fftw_s"] = *r.fftw_s;
  for (const WayTimes& way : r.ways)
    json["ways"].push_back({{"name", way.name}, {"parts_s", way.parts_s}});
  return json;
}

void print(const WayTimes& way, bool explain) {
  double sum = 0;
  std::string parts;
  for (const double seconds : way.parts_s) {
    sum += seconds;
    parts += (parts.empty() ? "" : " + ") + seconds_text(seconds);
  }
  fmt::print("  {:<32} {:>10} = {}\n", way.name, seconds_text(sum), parts);
  if (explain) fmt::print("{}", way.explanation);
}

ConvolutionOptions options_of(const Arguments& arguments) {
  return {.effort = parse_effort(arguments.effort),
          .time_limit_s = arguments.time_limit_s,
          .use_wisdom = !arguments.no_wisdom,
          .rounds = arguments.rounds,
          .processor_time = arguments.processor_time,
          .all_ways = arguments.ways};
}

void check_difference(const ConvolutionRow& row, const std::string& name, double difference) {
  const double bound = row.precision == Precision::f32 ? 2e-6 : 4e-15;
  if (!(difference < bound))
    throw Failed{fmt::format("{}: the operator and the steps differ by {:.1e}", name, difference)};
}

nlohmann::json as_json(const GpuConvolutionResult& r, const std::string& name) {
  nlohmann::json json{{"row", name},
                      {"operator_ms", r.operator_ms},
                      {"steps_ms", r.steps_ms},
                      {"difference", r.difference},
                      {"passes", r.passes},
                      {"workspace_bytes", r.workspace_bytes},
                      {"explanation", r.explanation}};
  if (r.cufft_ms) json["cufft_ms"] = *r.cufft_ms;
  return json;
}

void run_on_gpu(const Arguments& arguments) {
  const bool as_text = arguments.json != "-";
  if (!arguments.no_wisdom) load_wisdom({});
  if (as_text)
    fmt::print("{}; cuFFT {}\n{:<28} {:>10} {:>11} {:>11} {:>7} {:>10}\n", cuda::device_name(),
               cufft_version(), arguments.fields > 1 ? "projection" : "convolution", "operator",
               "weft steps", "cuFFT steps", "passes", "workspace");
  nlohmann::json document = nlohmann::json::array();
  std::vector<double> over_steps, over_cufft;
  for (const ConvolutionRow& row : rows_of(arguments)) {
    const std::string name = fmt::format(
        "{} {} {}{}", to_string(row.kind), to_string(row.precision), shape_text(row.shape),
        arguments.fields > 1 ? fmt::format(" {} fields", arguments.fields) : "");
    Progress progress(ShowProgress::on_terminal, 1);
    progress.phase(name);
    const GpuConvolutionResult result =
        arguments.fields > 1 ? measure_projection_on_gpu(row, options_of(arguments),
                                                         arguments.fields, !arguments.no_cufft)
                             : measure_on_gpu(row, options_of(arguments), !arguments.no_cufft);
    progress.clear();
    check_difference(row, name, result.difference);
    over_steps.push_back(result.steps_ms / result.operator_ms);
    if (result.cufft_ms) over_cufft.push_back(*result.cufft_ms / result.operator_ms);
    if (as_text) {
      fmt::print("{:<28} {:>7.3f} ms {:>11} {:>11} {:>7.3g} {:>7.0f} MB\n", name,
                 result.operator_ms, fmt::format("{:.2f} x", over_steps.back()),
                 result.cufft_ms ? fmt::format("{:.2f} x", over_cufft.back()) : "-", result.passes,
                 result.workspace_bytes * 1e-6);
      if (arguments.explain) fmt::print("{}", result.explanation);
      std::fflush(stdout);
    }
    document.push_back(as_json(result, name));
  }
  if (as_text && !over_steps.empty())
    fmt::print("{:<28} {:>10} {:>11} {:>11}\n", "geometric mean", "",
               fmt::format("{:.2f} x", geometric_mean(over_steps)),
               over_cufft.empty() ? "-" : fmt::format("{:.2f} x", geometric_mean(over_cufft)));
  write_json(arguments.json, document);
}

/// Collective.
void run_on_ranks(const Arguments& arguments, const Comm& comm) {
  const bool is_first = comm.rank() == 0, as_text = is_first && arguments.json != "-";
  if (!arguments.no_wisdom) load_wisdom({});
  if (as_text)
    fmt::print("{} ranks; {}:\n{:<38} {:>10} {:>9} {:>9} {:>9} {:>10}\n", comm.size(),
               arguments.device == "cuda" ? "the transforms alone" : "steps", "Helmholtz",
               "operator", "natural", "any order", "FFTW-MPI", "workspace");
  nlohmann::json document = nlohmann::json::array();
  for (const ConvolutionRow& row : rows_of(arguments)) {
    const std::string name =
        fmt::format("{}{}", label(row),
                    arguments.fields > 1 ? fmt::format(" {} fields", arguments.fields) : "");
    const RankOperatorResult r =
        measure_on_ranks(row, arguments.fields, options_of(arguments),
                         arguments.device == "cuda" ? Device::Type::cuda : Device::Type::cpu, comm,
                         {!arguments.no_fftw, arguments.fftw_time_limit_s});
    const double allowed = row.precision == Precision::f32 ? 2e-6 : 4e-15;
    if (!(r.error < allowed)) throw Failed{fmt::format("{}: error {:.1e}", name, r.error)};
    if (as_text) {
      fmt::print("{:<38} {:>10} {:>7.2f} x {:>7.2f} x {:>9} {:>7.0f} MB\n", name,
                 seconds_text(r.operator_s), r.natural_s / r.operator_s,
                 r.any_order_s / r.operator_s,
                 r.fftw_s ? fmt::format("{:.2f} x", *r.fftw_s / r.operator_s) : "-",
                 static_cast<double>(r.workspace_bytes) * 1e-6);
      if (arguments.explain) fmt::print("{}", r.explanation);
      std::fflush(stdout);
    }
    document.push_back({{"row", name},
                        {"ranks", comm.size()},
                        {"operator_s", r.operator_s},
                        {"natural_s", r.natural_s},
                        {"any_order_s", r.any_order_s},
                        {"error", r.error},
                        {"workspace_bytes", r.workspace_bytes},
                        {"explanation", r.explanation}});
    if (r.fftw_s) document.back()["fftw_s"] = *r.fftw_s;
  }
  if (is_first) write_json(arguments.json, document);
}

void run(const Arguments& arguments) {
  const auto comm = tool_comm();
  if (comm->size() > 1 || (arguments.fields > 1 && arguments.device == "cpu"))
    return run_on_ranks(arguments, *comm);
  if (arguments.device == "cuda" && arguments.fields > 4)
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("--fields {} on one GPU; choose 1 to 4, or run on ranks", arguments.fields));
  if (arguments.device == "cuda") return run_on_gpu(arguments);
  const std::vector<ConvolutionRow> rows = rows_of(arguments);
  const bool as_text = arguments.json != "-";
  std::unique_ptr<Fftw> fftw;
  if (!arguments.no_fftw) {
    fftw = std::make_unique<Fftw>(arguments.fftw_folder);
    fftw->set_time_limit(arguments.fftw_time_limit_s);
  }
  if (!arguments.no_wisdom) load_wisdom({});
  if (as_text)
    fmt::print("{:<34} {:>10} {:>11} {:>11} {:>7}\n", "convolution", "operator", "weft steps",
               "FFTW steps", "passes");
  nlohmann::json document = nlohmann::json::array();
  std::vector<double> over_steps, over_fftw;
  for (const ConvolutionRow& row : rows) {
    Progress progress(ShowProgress::on_terminal, 1);
    progress.phase(label(row));
    const ConvolutionResult result = measure(row, options_of(arguments), fftw.get());
    progress.clear();
    check_difference(row, label(row), result.difference);
    over_steps.push_back(result.steps_s / result.operator_s);
    if (result.fftw_s) over_fftw.push_back(*result.fftw_s / result.operator_s);
    if (as_text) {
      fmt::print("{:<34} {:>10} {:>11} {:>11} {:>7.0f}\n", label(row),
                 seconds_text(result.operator_s), fmt::format("{:.2f} x", over_steps.back()),
                 result.fftw_s ? fmt::format("{:.2f} x", over_fftw.back()) : "-", result.passes);
      if (arguments.explain) fmt::print("{}", result.explanation);
      for (const WayTimes& way : result.ways) print(way, arguments.explain);
      std::fflush(stdout);
    }
    document.push_back(as_json(result));
  }
  if (as_text && !over_steps.empty())
    fmt::print("{:<34} {:>10} {:>11} {:>11}\n", "geometric mean", "",
               fmt::format("{:.2f} x", geometric_mean(over_steps)),
               over_fftw.empty() ? "-" : fmt::format("{:.2f} x", geometric_mean(over_fftw)));
  write_json(arguments.json, document);
}

}  // namespace bench_operator_command

void add_bench_operator_command(CLI::App& bench) {
  using namespace bench_operator_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *bench.add_subcommand(
      "operator", "A convolution as one operator, beside three separate steps");
  command.add_option("--sizes", arguments->sizes, "Shapes, such as 256x256x256,512x512x512")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--kinds", arguments->kinds, "c2c, r2c (default: both)")
      ->delimiter(',')
      ->default_str("");
  command.add_option("--precisions", arguments->precisions, "f32, f64 (default: both)")
      ->delimiter(',')
      ->default_str("");
  command
      .add_option("--threads", arguments->threads,
                  "Numbers of threads, such as 1,2; 0: all cores (default: 1 and all cores)")
      ->delimiter(',')
      ->check(at_least(0));
  command.add_option("--rounds", arguments->rounds, "Runs of each, whose medians are compared")
      ->check(at_least(1))
      ->capture_default_str();
  command
      .add_option(
          "--fields", arguments->fields,
          "Fields that the function reads and writes; on one GPU a vector of 2 to 4 components, "
          "which is made free of divergence")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  command.add_option("--effort", arguments->effort, "estimate, measure or patient")
      ->capture_default_str();
  command.add_option("--time-limit", arguments->time_limit_s, "Planning time of weft, in seconds")
      ->check(positive())
      ->capture_default_str();
  command.add_option("--fftw", arguments->fftw_folder,
                     "Folder of FFTW's libraries (default: the system's)");
  command
      .add_option("--fftw-time-limit", arguments->fftw_time_limit_s,
                  "Planning time of each of FFTW's plans (measure), in seconds")
      ->check(positive())
      ->capture_default_str();
  command.add_flag("--no-fftw", arguments->no_fftw, "Compare with weft's own steps only");
  command.add_option("--device", arguments->device, "cpu, or cuda: the first GPU")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  command.add_flag("--no-cufft", arguments->no_cufft, "On a GPU: compare with weft's steps only");
  command.add_flag("--processor-time", arguments->processor_time,
                   "Compare the processor time of all threads, where other programs are busy (CPU, "
                   "one process)");
  command.add_flag("--ways", arguments->ways,
                   "Also time every way of the operator, its sweeps apart (CPU, one process)");
  command.add_flag("--no-wisdom", arguments->no_wisdom, "Do not use wisdom");
  command.add_flag("--explain", arguments->explain, "Print the recipes of each operator");
  add_json_flag(command, arguments->json);
  command.footer(
      "The steps are: forward transform, spectrum times a Gaussian, backward transform. The\n"
      "columns of the steps give their time divided by the operator's: above 1 the operator\n"
      "is faster. All run in turns on the same memory, and results are compared.\n"
      "Under mpiexec: an operator on slabs of all ranks, and beside it the same steps through\n"
      "natural order, through the order that costs least, and by FFTW-MPI through transposed\n"
      "order (one thread, equal slabs); on GPUs the transforms alone, without the function.\n"
      "Examples:\n"
      "  weft bench operator\n"
      "  weft bench operator --sizes 512x512x512 --precisions f32 --threads 0 --explain\n"
      "  weft bench operator --device cuda --sizes 512x512x512 --precisions f32\n"
      "  weft bench operator --device cuda --sizes 256x256x256 --fields 3\n"
      "  mpiexec -n 4 weft bench operator --sizes 256x256x256 --fields 3 --threads 1");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
