// SPDX-License-Identifier: BSD-3-Clause
// weft bench npb: the FT benchmark of the NAS Parallel Benchmarks, verified.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/npb.hpp"
#include "bench/ranks.hpp"
#include "commands.hpp"
#include "mpi/runtime.hpp"
#include "text.hpp"
#include "weft/version.h"

namespace weft::tool {
namespace bench_npb_command {

struct Arguments {
  std::string problem = "S";
  std::uint64_t seed = npb_seed;
  PlanChoice plan;
  JsonTarget json;
};

std::string size_text(const NpbClass& problem) {
  return fmt::format("{:>4}x{:>4}x{:>4}", problem.nx, problem.ny, problem.nz);
}

void print_heading(const NpbClass& problem, int ranks) {
  fmt::print("\n\n NAS Parallel Benchmarks -- FT Benchmark\n\n");
  fmt::print(" Size                : {}\n", size_text(problem));
  fmt::print(" Iterations          : {:>14}\n", problem.iterations());
  fmt::print(" Number of processes : {:>14}\n\n", ranks);
}

void print_report(const NpbClass& problem, int ranks, const NpbResult& result, bool verified) {
  const NpbTimes& times = result.times;
  const double mops = problem.operations() / times.total_s * 1e-6;
  fmt::print(" VERIFICATION {}\n\n", verified ? "SUCCESSFUL" : "UNSUCCESSFUL");
  fmt::print(" FT Benchmark Completed.\n");
  const auto line = [](const char* name, const std::string& value) {
    fmt::print(" {:<15} = {:>24}\n", name, value);
  };
  line("Class", std::string(1, problem.name));
  line("Size", size_text(problem));
  line("Iterations", std::to_string(problem.iterations()));
  line("Time in seconds", fmt::format("{:.4f}", times.total_s));
  line("Total processes", std::to_string(ranks));
  line("Mop/s total", fmt::format("{:.2f}", mops));
  line("Mop/s/process", fmt::format("{:.2f}", mops / ranks));
  line("Operation type", "floating point");
  line("Verification", verified ? "SUCCESSFUL" : "UNSUCCESSFUL");
  line("Version", "weft " WEFT_VERSION);
  fmt::print(
      "\n Time of each part on its slowest rank: initial conditions {}, plans {}, "
      "transforms {}, evolve {}, checksums {}\n",
      seconds_text(times.initial_s), seconds_text(times.plans_s), seconds_text(times.transforms_s),
      seconds_text(times.evolve_s), seconds_text(times.checksums_s));
  fmt::print(" Memory per rank: field and spectrum {}, buffers of the plans {}\n",
             bytes_text(static_cast<double>(result.array_bytes)),
             bytes_text(static_cast<double>(result.workspace_bytes)));
  fmt::print(" Recipe: {}\n", result.recipe);
}

nlohmann::json as_json(const NpbClass& problem, int ranks, const NpbResult& result, bool verified) {
  const NpbTimes& times = result.times;
  nlohmann::json checksums = nlohmann::json::array();
  for (const auto& sum : result.checksums) checksums.push_back({sum.real(), sum.imag()});
  return {{"benchmark", "NPB FT"},
          {"class", std::string(1, problem.name)},
          {"size", {problem.nx, problem.ny, problem.nz}},
          {"iterations", problem.iterations()},
          {"ranks", ranks},
          {"seconds", times.total_s},
          {"mops", problem.operations() / times.total_s * 1e-6},
          {"verified", verified},
          {"checksums", checksums},
          {"parts_s",
           {{"initial_conditions", times.initial_s},
            {"plans", times.plans_s},
            {"transforms", times.transforms_s},
            {"evolve", times.evolve_s},
            {"checksums", times.checksums_s}}},
          {"array_bytes", result.array_bytes},
          {"workspace_bytes", result.workspace_bytes},
          {"recipe", result.recipe}};
}

void run(const Arguments& arguments) {
  const auto comm = tool_comm();
  const NpbClass& problem = npb_class(arguments.problem);
  const bool speaks = comm->rank() == 0, as_text = speaks && arguments.json != "-";
  NpbRun options{.seed = arguments.seed, .plan = options_of(arguments.plan)};
  if (as_text) {
    print_heading(problem, comm->size());
    options.on_checksum = [](int iteration, std::complex<double> sum) {
      fmt::print(" T ={:>5}     Checksum ={:>22.12E}{:>22.12E}\n", iteration, sum.real(),
                 sum.imag());
      std::fflush(stdout);
    };
  }
  const NpbResult result = run_npb(problem, *comm, options);
  const bool verified = npb_verified(problem, result.checksums);
  if (as_text) print_report(problem, comm->size(), result, verified);
  if (speaks) write_json(arguments.json, as_json(problem, comm->size(), result, verified));
  if (!verified)
    throw Failed{
        fmt::format("class {}: the checksums differ from NPB's{}", problem.name,
                    arguments.seed == npb_seed ? "" : ", because --seed is not NPB's seed")};
}

}  // namespace bench_npb_command

void add_bench_npb_command(CLI::App& bench) {
  using namespace bench_npb_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *bench.add_subcommand(
      "npb", "NAS Parallel Benchmarks FT: 3-D diffusion with verified checksums");
  command.add_option("--class", arguments->problem, "Problem class: S, W, A, B or C")
      ->capture_default_str();
  command
      .add_option("--seed", arguments->seed,
                  "Random seed (any but the default makes verification fail)")
      ->capture_default_str();
  add_plan_choice(command, arguments->plan);
  add_json_flag(command, arguments->json);
  command.footer(
      "Classes: S 64x64x64, W 128x128x32, A 256x256x128 with 6 iterations; B 512x256x256,\n"
      "C 512x512x512 with 20.\n"
      "The time covers what NPB times: initial conditions, tables, one forward transform,\n"
      "and per iteration evolution, inverse transform and checksum. The arrays are\n"
      "touched before the clock starts. Mop/s use NPB's operation count.\n"
      "The exit code is 1 unless every checksum agrees with NPB's to a relative error of\n"
      "1e-12.\n"
      "Examples:\n"
      "  weft bench npb --class S\n"
      "  mpiexec -n 2 weft bench npb --class A\n"
      "  mpiexec -n 4 weft bench npb --class B --effort measure --json=b.json");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
