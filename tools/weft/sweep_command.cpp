// SPDX-License-Identifier: BSD-3-Clause
// weft sweep: predictions for several node counts or sizes, as a table, CSV and SVG.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "fabric/plot.hpp"
#include "fabric/prediction.hpp"
#include "file.hpp"
#include "text.hpp"
#include "validators.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace sweep_command {

struct Arguments {
  PredictionRequest request;
  std::vector<int> nodes, edges, groups;
  std::string value = "tflops", csv, svg;
  JsonTarget json;
};

double value_of(const Prediction& prediction, const std::string& what) {
  if (what == "tflops") return prediction.tflops();
  if (what == "seconds") return prediction.seconds;
  if (what == "exchange-share") return prediction.exchange_s / prediction.seconds;
  if (what == "bound-share") return prediction.bound_s / prediction.seconds;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("--value {}: unknown; choose tflops, seconds, exchange-share or bound-share",
                  what));
}

std::string label_of(const std::string& what) {
  if (what == "tflops") return "Tflop/s";
  if (what == "exchange-share") return "share of the time in exchanges";
  if (what == "bound-share") return "lower bound / time";
  return what;
}

/// "512^3" with another edge length.
std::string with_edge(const std::string& size, int edge) {
  const std::size_t hat = size.find('^');
  if (hat == std::string::npos)
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("--size {}: --edges needs a size written as a power, such as 512^3", size));
  return fmt::format("{}{}", edge, size.substr(hat));
}

std::string series_name(const fabric::FabricMachine& machine, const Prediction& prediction,
                        const PredictionRequest& request) {
  if (std::holds_alternative<fabric::WaferMachine>(machine.what)) return request.wafer.schedule;
  return prediction.scheme.substr(0, prediction.scheme.find(':'));  // without its sizes
}

/// Some points have no value for some schemes: recipes for very many ranks are not priced.
Series& series_of(Chart& chart, const std::string& name) {
  for (Series& series : chart.series)
    if (series.name == name) return series;
  return chart.series.emplace_back(Series{.name = name, .points = {}, .hollow = {}});
}

Chart make_chart(const Arguments& arguments, const fabric::FabricMachine& machine) {
  const int axes = static_cast<int>(!arguments.nodes.empty()) +
                   static_cast<int>(!arguments.edges.empty()) +
                   static_cast<int>(!arguments.groups.empty());
  const bool together = axes == 2 && arguments.groups.empty();  // weak scaling
  if (axes != 1 && !together)
    throw Error(ErrorCode::invalid_argument,
                "give exactly one of --nodes, --edges and --over-groups, or --nodes and --edges "
                "together");
  if (together && arguments.nodes.size() != arguments.edges.size())
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} --nodes and {} --edges: together they must be as many, one edge "
                            "for each node count",
                            arguments.nodes.size(), arguments.edges.size()));
  const bool over_nodes = !arguments.nodes.empty();
  const bool over_edges = !arguments.edges.empty();
  const auto& values = over_nodes   ? arguments.nodes
                       : over_edges ? arguments.edges
                                    : arguments.groups;
  Chart chart;
  chart.title = fmt::format("{}: {}", machine.name,
                            together     ? "nodes and size together"
                            : over_edges ? "by size"
                                         : fmt::format("size {}", arguments.request.wafer.size));
  chart.x_label = over_nodes ? "nodes" : over_edges ? "edge" : "groups";
  chart.y_label = label_of(arguments.value);
  chart.log_x = !arguments.groups.empty() ? false : true;
  chart.log_y = arguments.value == "tflops" || arguments.value == "seconds";
  for (std::size_t k = 0; k < values.size(); ++k) {
    const int value = values[k];
    PredictionRequest request = arguments.request;
    if (over_nodes) request.nodes = value;
    if (together) request.wafer.size = with_edge(request.wafer.size, arguments.edges[k]);
    if (over_edges && !together) request.wafer.size = with_edge(request.wafer.size, value);
    if (!over_nodes && !over_edges) request.wafer.groups = value;
    for (const Prediction& prediction : predict(machine, request)) {
      Series& series = series_of(chart, series_name(machine, prediction, request));
      series.points.emplace_back(value, value_of(prediction, arguments.value));
      if (!prediction.fits) series.hollow.insert(value);
    }
  }
  return chart;
}

void run(const Arguments& arguments) {
  const fabric::FabricMachine machine = fabric::load_machine(arguments.request.wafer.machine);
  const Chart chart = make_chart(arguments, machine);
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
  command.add_option("--nodes", arguments->nodes, "Node counts, such as 32,64,128")
      ->delimiter(',')
      ->check(at_least(1));
  command
      .add_option("--edges", arguments->edges,
                  "Edge lengths that replace the one in --size 512^3, such as 32,64,128")
      ->delimiter(',')
      ->check(at_least(1));
  command
      .add_option("--over-groups", arguments->groups,
                  "Numbers of segments of the wafer's lines, such as 1,2,4")
      ->delimiter(',')
      ->check(at_least(1));
  command
      .add_option("--value", arguments->value,
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
