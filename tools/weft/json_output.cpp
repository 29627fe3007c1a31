// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "file.hpp"

namespace weft::tool {

void add_json_flag(CLI::App& command, JsonTarget& target) {
  command.add_flag("--json{-}", target,
                   "Print the result as JSON; --json=FILE: write it to a file");
}

void write_json(const JsonTarget& target, const nlohmann::json& document) {
  if (target.empty()) return;
  // JSON must be UTF-8, but file names in it may not be.
  const std::string text =
      document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (target == "-")
    fmt::print("{}", text);
  else
    write_file(target, text);
}

}  // namespace weft::tool
