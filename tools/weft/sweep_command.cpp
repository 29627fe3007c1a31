// SPDX-License-Identifier: BSD-3-Clause
// weft sweep: predictions for several node counts or sizes, as a table, CSV and SVG.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "fabric/plot.hpp"
#include "fabric/prediction_chart.hpp"
#include "file.hpp"
#include "text.hpp"
#include "validators.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace sweep_command {

struct Arguments {
  PredictionRequest request;
  SweepValues sweep;
  std::string csv, svg;
  JsonTarget json;
};

void run(const Arguments& arguments) {
  const fabric::FabricMachine machine = fabric::load_machine(arguments.request.wafer.machine);
  const Chart chart = prediction_chart(machine, arguments.request, arguments.sweep);
  if (!arguments.csv.empty()) write_file(arguments.csv, to_csv(chart));
  if (!arguments.svg.empty()) write_file(arguments.svg, to_svg(chart));
  if (arguments.json != "-") fmt::print("{}", to_csv(chart));
  nlohmann::json series = nlohmann::json::array();
  for (const Series& one : chart.series)
    series.push_back({{"name", one.name}, {"points", one.points}, {"does_not_fit", one.hollow}});
  write_json(arguments.json, {{"machine", machine.name},
                              {"precision", to_string(precision_of(machine, arguments.request))},
                              {"x", chart.x_label},
                              {"y", chart.y_label},
                              {"series", series}});
}

}  // namespace sweep_command

void add_sweep_command(CLI::App& app) {
  using namespace sweep_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command =
      *app.add_subcommand("sweep", "Predict times for several node counts or sizes");
  add_wafer_options(command, arguments->request.wafer);
  command.add_option("--nodes", arguments->sweep.nodes, "Node counts, such as 32,64,128")
      ->delimiter(',')
      ->check(at_least(1));
  command
      .add_option("--edges", arguments->sweep.edges,
                  "Edge lengths that replace the one in --size 512^3, such as 32,64,128")
      ->delimiter(',')
      ->check(at_least(1));
  command
      .add_option("--over-groups", arguments->sweep.groups,
                  "Numbers of segments of the wafer's lines, such as 1,2,4")
      ->delimiter(',')
      ->check(at_least(1));
  command
      .add_option("--value", arguments->sweep.value,
                  "What to plot: tflops, seconds, exchange-share (share of the time in exchanges) "
                  "or bound-share (lower bound / time)")
      ->capture_default_str();
  command.add_option("--csv", arguments->csv, "CSV file to write");
  command.add_option("--svg", arguments->svg, "SVG file to write");
  add_json_flag(command, arguments->json);
  command.footer(
      "Examples:\n"
      "  weft sweep --machine summit --size 1024^3 --nodes 32,64,128,256,512,1024\n"
      "  weft sweep --machine wse2-measured --edges 32,64,128,256,512 --svg weak.svg\n"
      "  weft sweep --machine summit --size 256^3 --nodes 1,8,64 --edges 256,512,1024\n"
      "  weft sweep --machine wse2 --size 512^3 --schedule segmented --over-groups 1,2,4,6,8,9 "
      "--value seconds");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
