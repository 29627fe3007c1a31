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
#include "validators.hpp"

namespace weft::tool {
namespace fft_command {

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
  watch_mapped_input();
  const MpiRuntime* mpi = mpi_runtime();
  const FftReport report = mpi != nullptr ? run_fft_on_ranks(request, *mpi) : run_fft(request);
  if (rank_of_this_process() > 0) return;
  write_json(arguments.json, as_json(request, report));
  if (arguments.json != "-" && !arguments.quiet && !is_standard_output(request.output))
    print(request, report);
}

}  // namespace fft_command

void add_fft_command(CLI::App& app) {
  using namespace fft_command;
  auto arguments = std::make_shared<Arguments>();
  FftRequest& request = arguments->request;
  CLI::App& command =
      *app.add_subcommand("fft", "Transform an array from one NumPy file to another");
  command
      .add_option("IN", request.input,
                  "NumPy file to read: float16, float32, float64, complex64 or complex128")
      ->required();
  command.add_option("OUT", request.output, "NumPy file to write; may be the same as IN")
      ->required();
  command.add_flag("--inverse", request.inverse, "Run the backward (inverse) transform");
  command.add_flag("--real", request.real,
                   "From real numbers to the half spectrum (rfftn); with --inverse: from the half "
                   "spectrum to real numbers (irfftn)");
  command
      .add_option("--n", arguments->real_length,
                  "Length of the last transformed axis of the output of --inverse --real (default: "
                  "2(m-1), where m is its length in IN)")
      ->check(at_least(1));
  command
      .add_option("--r2r", request.r2r,
                  "Real to real: dct1 to dct4, dst1 to dst4, dht, r2hc, hc2r; one for all axes, or "
                  "one per axis")
      ->delimiter(',');
  command.add_option("--axes", request.axes, "Axes to transform, such as 1,2 or -1 (default: all)")
      ->delimiter(',');
  command
      .add_option("--norm", request.norm,
                  "Normalization: backward (as NumPy), ortho, forward or none")
      ->capture_default_str();
  command.add_option("--precision", request.precision,
                     "Precision of arithmetic and output: f32 or f64; f16 for real output only "
                     "(default: that of the input, at least f32)");
  command.add_option("--threads", arguments->threads, "Number of threads; 0: all cores")
      ->check(at_least(0))
      ->capture_default_str();
  command
      .add_option("--effort", arguments->effort, "Planning effort: estimate, measure or patient")
      ->capture_default_str();
  command
      .add_option("--chunk", request.chunk_mib,
                  "MiB of input and output to hold in memory at a time; used if the first axes are "
                  "not transformed")
      ->check(positive())
      ->capture_default_str();
  command.add_flag("--progress", arguments->progress,
                   "Show a progress bar even without a terminal");
  command.add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  command.add_flag("--no-wisdom", arguments->no_wisdom, "Do not use wisdom");
  add_json_flag(command, arguments->json);
  command.footer(
      "OUT is written completely or not at all. IN may be in Fortran order or big-endian;\n"
      "OUT has the order of IN and is little-endian.\n"
      "Examples:\n"
      "  weft fft field.npy spectrum.npy                   all axes, like numpy.fft.fftn\n"
      "  weft fft --real --axes -1 traces.npy spectra.npy  each row of a real array\n"
      "  weft fft --inverse --real --n 1001 s.npy x.npy    inverse, odd length\n"
      "  weft fft --r2r dct2 --norm ortho image.npy coefficients.npy\n"
      "  mpiexec -n 4 weft fft field.npy spectrum.npy      four ranks, one part each");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
