// SPDX-License-Identifier: BSD-3-Clause
// A program that is a list of sub-commands. Exit codes: 0 success; 1 wrong result (a failed check);
// 2 bad input or output that could not be written, with a one-line error that says what to do.
#pragma once

#include <vector>

namespace CLI {
class App;
}

namespace weft::tool {

struct Tool {
  const char* footer;  ///< the end of the help text
  std::vector<void (*)(CLI::App&)> commands;
};

/// Reads the command line and runs the command that it names; returns the exit code.
int run_tool(const Tool& tool, int argc, char** argv);

}  // namespace weft::tool
