// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "weft/error.hpp"

namespace weft::tool {

void add_json_flag(CLI::App& command, JsonTarget& target) {
  command.add_flag("--json{-}", target, "Print the result as JSON; --json=FILE writes a file");
}

void write_json(const JsonTarget& target, const nlohmann::json& document) {
  if (target.empty()) return;
  if (target == "-") {
    fmt::print("{}\n", document.dump(2));
    return;
  }
  std::ofstream file(target);
  file << document.dump(2) << '\n';
  file.close();
  if (!file)
    throw Error(ErrorCode::io, fmt::format("cannot write {}; choose a writable file for --json, or "
                                           "leave the name away for standard output",
                                           target));
}

}  // namespace weft::tool
