// SPDX-License-Identifier: BSD-3-Clause
// The sub-commands of the tool, one file each. Every function adds its sub-command to the parser,
// with a callback that does the work; errors are thrown as weft::Error.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace CLI {
class App;
}

namespace weft::tool {

void add_fft_command(CLI::App& app);
void add_plan_command(CLI::App& app);
void add_explain_command(CLI::App& app);
void add_tune_command(CLI::App& app);
void add_trace_command(CLI::App& app);
void add_info_command(CLI::App& app);
void add_demo_command(CLI::App& app);
void add_codegen_command(CLI::App& app);
void add_bench_command(CLI::App& app);
void add_predict_command(CLI::App& app);
void add_simulate_command(CLI::App& app);
void add_sweep_command(CLI::App& app);
void add_paper_command(CLI::App& app);
void add_animate_command(CLI::App& app);
void add_design_command(CLI::App& app);
void add_run_with_command(CLI::App& app);
void add_bench_mpi_command(
    CLI::App& bench);  ///< this and the next five are sub-commands of `bench`
void add_bench_global1d_command(CLI::App& bench);
void add_bench_npb_command(CLI::App& bench);
void add_bench_hpcc_command(CLI::App& bench);
void add_bench_gpu_command(CLI::App& bench);
void add_bench_operator_command(CLI::App& bench);
void add_test_gpu_command(CLI::App& app);

/// Where to write JSON: empty: nowhere; "-": standard output; otherwise a file name.
using JsonTarget = std::string;
/// The flag --json or --json=FILE, the same for every sub-command.
void add_json_flag(CLI::App& command, JsonTarget& target);
/// Writes the document if --json was given.
void write_json(const JsonTarget& target, const nlohmann::json& document);

/// Thrown when a command ran but its result is wrong: exit code 1.
struct Failed {
  std::string reason;
};

}  // namespace weft::tool
