// SPDX-License-Identifier: BSD-3-Clause
// weft bench hpcc: G-FFT of the HPC Challenge by its rules, with output in its format.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/hpcc.hpp"
#include "bench/ranks.hpp"
#include "commands.hpp"
#include "mpi/runtime.hpp"
#include "progress.hpp"
#include "text.hpp"

namespace weft::tool {
namespace bench_hpcc_command {

struct Arguments {
  std::vector<std::string> sizes;
  int rounds = 1;
  PlanChoice plan;
  JsonTarget json;
};

std::vector<Index> lengths_of(const Arguments& arguments, const Comm& comm) {
  if (arguments.sizes.empty()) return {hpcc_default_size(comm)};
  std::vector<Index> lengths;
  for (const std::string& size : arguments.sizes) lengths.push_back(parse_length(size, comm));
  return lengths;
}

/// As HPCC writes hpccoutf.txt: the section of the test, then its lines of the summary.
void print_result(const HpccResult& r) {
  fmt::print("Begin of MPIFFT section.\n");
  fmt::print("Number of nodes: {}\n", r.ranks);
  fmt::print("Vector size: {:>20}\n", r.n);
  fmt::print("Generation time: {:9.3f}\n", r.generation_s);
  fmt::print("Tuning: {:9.3f}\n", r.planning_s);
  fmt::print("Computing: {:9.3f}\n", r.forward_s);
  fmt::print("Inverse FFT: {:9.3f}\n", r.inverse_s);
  fmt::print("max(|x-x0|): {:9.3e}\n", r.max_error);
  fmt::print("Gflop/s: {:9.3f}\n", r.gflops);
  fmt::print("End of MPIFFT section.\n");
  fmt::print("Begin of Summary section.\n");
  fmt::print("Success={}\n", r.passes() ? 1 : 0);
  fmt::print("MPIFFT_N={}\n", r.n);
  fmt::print("MPIFFT_Gflops={:g}\n", r.gflops);
  fmt::print("MPIFFT_maxErr={:g}\n", r.max_error);
  fmt::print("MPIFFT_Procs={}\n", r.ranks);
  for (int phase = 0; phase < 7; ++phase) fmt::print("MPIFFT_time{}=0\n", phase);
  fmt::print("End of Summary section.\n");
  fmt::print("max|x-x0| / (eps log2 N) = {:.3f}, at most 16: {}\n", r.residual(),
             r.passes() ? "PASSED" : "FAILED");
  fmt::print("{}; in + out {}, workspace {} per rank\n", r.recipe,
             bytes_text(static_cast<double>(r.array_bytes)),
             bytes_text(static_cast<double>(r.workspace_bytes)));
  for (const TraceEvent& stage : r.stages)
    fmt::print("  {:<24} {}\n", stage.name, seconds_text(stage.end_s - stage.begin_s));
  std::fflush(stdout);
}

nlohmann::json as_json(const HpccResult& r) {
  nlohmann::json stages = nlohmann::json::array();
  for (const TraceEvent& stage : r.stages)
    stages.push_back({{"name", stage.name}, {"begin_s", stage.begin_s}, {"end_s", stage.end_s}});
  return {{"benchmark", "HPCC G-FFT"},
          {"MPIFFT_N", r.n},
          {"MPIFFT_Gflops", r.gflops},
          {"MPIFFT_maxErr", r.max_error},
          {"MPIFFT_Procs", r.ranks},
          {"generation_s", r.generation_s},
          {"planning_s", r.planning_s},
          {"forward_s", r.forward_s},
          {"inverse_s", r.inverse_s},
          {"residual", r.residual()},
          {"passed", r.passes()},
          {"recipe", r.recipe},
          {"array_bytes", r.array_bytes},
          {"workspace_bytes", r.workspace_bytes},
          {"stages", stages}};
}

void run(const Arguments& arguments) {
  const auto comm = tool_comm();
  const bool speaks = comm->rank() == 0, as_text = speaks && arguments.json != "-";
  const DistributedOptions plan = options_of(arguments.plan);
  nlohmann::json document = nlohmann::json::array();
  std::vector<Index> failed;
  for (const Index n : lengths_of(arguments, *comm)) {
    Progress progress(speaks ? ShowProgress::on_terminal : ShowProgress::never, 5);
    const HpccResult result =
        run_hpcc({.n = n, .rounds = arguments.rounds, .plan = plan}, *comm, progress);
    progress.clear();
    if (as_text) print_result(result);
    document.push_back(as_json(result));
    if (!result.passes()) failed.push_back(n);
  }
  if (speaks) write_json(arguments.json, document);
  if (!failed.empty())
    throw Failed{fmt::format("forward and inverse transform do not give the input again for N = {}",
                             fmt::join(failed, ", "))};
}

}  // namespace bench_hpcc_command

void add_bench_hpcc_command(CLI::App& bench) {
  using namespace bench_hpcc_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command =
      *bench.add_subcommand("hpcc", "HPC Challenge G-FFT: one long 1-D transform over all ranks");
  command
      .add_option("--size", arguments->sizes,
                  "Length of the vector, any number, such as 2^24, or a list of lengths (default: "
                  "the largest power of two for which four vectors fit in half of the free memory)")
      ->delimiter(',');
  command
      .add_option(
          "--rounds", arguments->rounds,
          "Number of forward transforms, whose median time is reported; HPCC itself times one")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_plan_choice(command, arguments->plan);
  add_json_flag(command, arguments->json);
  command.footer(
      "HPCC's vector of random numbers is distributed in equal blocks in natural order. A\n"
      "forward transform is timed (5 N log2 N operations, slowest rank), then the inverse\n"
      "is run. max|x-x0| / (eps ln N) must be below 16, as in HPCC's program, which\n"
      "implies the published rule with log2; otherwise the exit code is 1.\n"
      "The output has the format of hpccoutf.txt. MPIFFT_time0 to MPIFFT_time6 are phases\n"
      "of HPCC's own FFT; they are 0 here, as in HPCC with another FFT library. weft's\n"
      "stages are printed last.\n"
      "Examples:\n"
      "  mpiexec -n 2 weft bench hpcc --size 2^24\n"
      "  mpiexec -n 4 weft bench hpcc --size 2^20,2^22,2^24 --rounds 5 --json=hpcc.json");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
