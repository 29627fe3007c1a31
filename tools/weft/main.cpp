// SPDX-License-Identifier: BSD-3-Clause
// The tool `weft`: the library as a command.
#include "commands.hpp"
#include "tool.hpp"

int main(int argc, char** argv) {
  using namespace weft::tool;
  return run_tool(
      {.footer =
           "Examples:\n"
           "  weft demo                            a demonstration: transform, check, time, draw\n"
           "  weft fft image.npy spectrum.npy      transform a NumPy file\n"
           "  weft explain 512x512x512             show the algorithm and its cost\n"
           "  weft bench local --rows in-cache     compare weft with FFTW\n"
           "  mpiexec -n 4 weft trace 256x256x256  run on four ranks and draw a timeline\n"
           "  weft simulate --size 64^3            simulate a wafer-scale machine\n"
           "weft COMMAND --help describes a command, with examples. Most have --json.",
       .commands = {add_fft_command, add_plan_command, add_explain_command, add_tune_command,
                    add_trace_command, add_bench_command, add_test_gpu_command, add_codegen_command,
                    add_predict_command, add_simulate_command, add_sweep_command, add_paper_command,
                    add_animate_command, add_design_command, add_run_with_command, add_info_command,
                    add_demo_command}},
      argc, argv);
}
