// SPDX-License-Identifier: BSD-3-Clause
// The program that `make run` builds: only the commands that it runs, so that a first look at weft
// does not wait for the benchmarks and the simulators.
#include "commands.hpp"
#include "tool.hpp"

int main(int argc, char** argv) {
  using namespace weft::tool;
  return run_tool({.footer = "The tool weft has all commands; make builds it.",
                   .commands = {add_demo_command, add_trace_command}},
                  argc, argv);
}
