// SPDX-License-Identifier: BSD-3-Clause
// weft fft IN.npy OUT.npy
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "fft_job.hpp"
#include "file.hpp"
#include "mpi/runtime.hpp"
#include "problem.hpp"
#include "text.hpp"

namespace weft::tool {
namespace {

struct Arguments {
  FftRequest request;
  std::string effort = "estimate";
  int threads = 0;
  Index real_length = 0;
  bool progress = false, quiet = false;
  bool no_wisdom = false;
  JsonTarget json;
};

nlohmann::json as_json(const NpyHeader& header, const std::string& path) {
  return {{"path", path},
          {"shape", header.shape},
          {"dtype", numpy_name(header.type)},
          {"fortran_order", header.order == Order::column_major}};
}

nlohmann::json as_json(const FftRequest& request, const FftReport& report) {
  return {{"input", as_json(report.input, request.input)},
          {"output", as_json(report.output, request.output)},
          {"transform", report.transform},
          {"recipe", report.recipe},
          {"chunks", report.chunks},
          {"seconds",
           {{"plan", report.plan_s},
            {"read", report.read_s},
            {"transform", report.transform_s},
            {"write", report.write_s}}},
          {"gflops", report.flops / report.transform_s / 1e9}};
}

void print(const FftRequest& request, const FftReport& report) {
  fmt::print("{} {} {} -> {} {} {}\n", request.input, numpy_name(report.input.type),
             python_shape_text(report.input.shape), request.output, numpy_name(report.output.type),
             python_shape_text(report.output.shape));
  fmt::print("transform {} ({:.1f} Gflop/s), planning {}, reading {}, writing {}{}\n",
             seconds_text(report.transform_s), report.flops / report.transform_s / 1e9,
             seconds_text(report.plan_s), seconds_text(report.read_s), seconds_text(report.write_s),
             report.chunks > 1 ? fmt::format(", {} chunks", report.chunks) : "");
}

void run(Arguments& arguments) {
  FftRequest& request = arguments.request;
  request.plan = {.effort = parse_effort(arguments.effort),
                  .threads = arguments.threads,
                  .use_wisdom = !arguments.no_wisdom};
  if (arguments.real_length > 0) request.real_length = arguments.real_length;
  if (arguments.progress) request.progress = ShowProgress::always;
  if (arguments.quiet) request.progress = ShowProgress::never;
  load_wisdom({.no_wisdom = arguments.no_wisdom});
  install_cleanup_on_signals();
  const MpiRuntime* mpi = mpi_runtime();
  const FftReport report = mpi != nullptr ? run_fft_on_ranks(request, *mpi) : run_fft(request);
  if (rank_of_this_process() > 0) return;
  write_json(arguments.json, as_json(request, report));
  if (arguments.json != "-" && !arguments.quiet && request.output.rfind("/dev/", 0) != 0)
    print(request, report);
}

}  // namespace

void add_fft_command(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  FftRequest& request = arguments->request;
  CLI::App& command = *app.add_subcommand("fft", "Transform a NumPy file into another");
  command.add_option("IN", request.input, "NumPy file: float16/32/64, complex64/128")->required();
  command.add_option("OUT", request.output, "NumPy file to write; may be IN itself")->required();
  command.add_flag("--inverse", request.inverse, "The backward transform");
  command.add_flag("--real", request.real,
                   "Real input, half-complex output (rfftn); with --inverse the way back (irfftn)");
  command
      .add_option("--n", arguments->real_length,
                  "Real length of the last transformed axis for --inverse --real; 2(m-1) if "
                  "left away")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--r2r", request.r2r,
                  "Real to real: dct1..4, dst1..4, dht; one for all axes or one per axis")
      ->delimiter(',');
  command.add_option("--axes", request.axes, "Axes to transform, such as 1,2 or -1; else all")
      ->delimiter(',');
  command.add_option("--norm", request.norm, "backward (as NumPy), ortho, forward or none")
      ->capture_default_str();
  command.add_option("--precision", request.precision,
                     "Arithmetic and output: f32 or f64; f16 for real output only. Else the "
                     "input's, at least f32");
  command.add_option("--threads", arguments->threads, "Threads; 0 means all cores")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("--effort", arguments->effort, "estimate, measure or patient")
      ->capture_default_str();
  command
      .add_option("--chunk", request.chunk_mib,
                  "MiB of input and output to hold at a time, where axes in front are not "
                  "transformed")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_flag("--progress", arguments->progress, "A progress bar even without a terminal");
  command.add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  command.add_flag("--no-wisdom", arguments->no_wisdom, "Neither read nor use tuned recipes");
  add_json_flag(command, arguments->json);
  command.footer(
      "OUT appears whole or not at all. Fortran order and big-endian input are understood; OUT\n"
      "keeps the order of IN and is little-endian.\n"
      "Examples:\n"
      "  weft fft field.npy spectrum.npy                   all axes, like numpy.fft.fftn\n"
      "  weft fft --real --axes -1 traces.npy spectra.npy  each row of a real array\n"
      "  weft fft --inverse --real --n 1001 s.npy x.npy    back to an odd length\n"
      "  weft fft --r2r dct2 --norm ortho image.npy coefficients.npy\n"
      "  mpiexec -n 4 weft fft field.npy spectrum.npy      four ranks, each with its part");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
