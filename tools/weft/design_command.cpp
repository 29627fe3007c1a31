// SPDX-License-Identifier: BSD-3-Clause
// weft design: the machines of a family that no other beats in both time and cost.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "commands.hpp"
#include "fabric/design.hpp"
#include "file.hpp"
#include "text.hpp"

namespace weft::tool {
namespace design_command {

struct Arguments {
  std::string file, html, svg;
  bool example = false;
  JsonTarget json;
};

/// Clusters and wafers around the published ones; costs are made up.
constexpr const char* example = R"json({
  "workload": {"size": "1024^3", "precision": "f32"},
  "families": [
    {
      "name": "cluster",
      "base": "summit",
      "ranges": {
        "nodes": [16, 32, 64, 128, 256, 512, 1024],
        "node_bytes_per_s": [12.5e9, 25e9, 50e9, 100e9],
        "message_s": [62e-6, 6e-6]
      },
      "cost": "nodes * (60 + node_bytes_per_s / 1e9 + 62e-6 / message_s)"
},
    {
      "name": "torus",
      "base": "bluegene-p",
      "ranges": {
        "nodes": [512, 4096, 32768],
        "link_efficiency": [0.8, 0.95],
        "node_flops": [604e6, 2400e6]
      },
      "cost": "nodes * (1 + 2 * link_efficiency + node_flops / 1e9)"
    },
    {
      "name": "wafer",
      "base": "wse2",
      "ranges": {
        "mesh": [[1024, 1024]],
        "nodes": [65536, 262144, 1048576],
        "memory_bytes": [49152, 98304]
      },
      "cost": "3000 + nodes * (0.01 + memory_bytes / 49152 * 0.005)"
    }
  ]
}
)json";

std::string text_of_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream || !text)
    refuse(fmt::format("design file {}: cannot be read; `weft design --example` prints one", path));
  return text.str();
}

void run(const Arguments& arguments) {
  if (arguments.example) {
    fmt::print("{}", example);
    return;
  }
  if (arguments.file.empty())
    refuse("give a design file; `weft design --example` prints one to edit");
  const Design design = explore(text_of_file(arguments.file), arguments.file);
  if (!arguments.svg.empty()) write_file(arguments.svg, to_svg(chart_of(design)));
  if (!arguments.html.empty()) write_file(arguments.html, to_html(design));
  if (arguments.json != "-") fmt::print("{}", to_text(design));
  write_json(arguments.json, to_json(design));
}

}  // namespace design_command

void add_design_command(CLI::App& app) {
  using namespace design_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *app.add_subcommand(
      "design", "Find the machines of a family that no other beats in both time and cost");
  command.add_option("FILE", arguments->file,
                     "A design file: a workload, and families of machines with ranges and a cost");
  command.add_flag("--example", arguments->example, "Print a design file to edit");
  command.add_option("--svg", arguments->svg, "Draw time against cost");
  command.add_option("--html", arguments->html, "Write one page to explore all machines");
  add_json_flag(command, arguments->json);
  command.footer(
      "Examples:\n"
      "  weft design --example > mine.json\n"
      "  weft design mine.json --html mine.html");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
