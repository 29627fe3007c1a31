// SPDX-License-Identifier: BSD-3-Clause
// weft sweep: a curve over nodes or sizes, as a table, CSV and SVG.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "fabric/plot.hpp"
#include "fabric/prediction.hpp"
#include "file.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

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
  throw Error(ErrorCode::invalid_argument,
              fmt::format("value {}: one of tflops, seconds, exchange-share, bound-share", what));
}

std::string label_of(const std::string& what) {
  if (what == "tflops") return "Tflop/s";
  if (what == "exchange-share") return "share of the time in exchanges";
  if (what == "bound-share") return "lower bound over time";
  return what;
}

/// "512^3" with another edge.
std::string with_edge(const std::string& size, int edge) {
  const std::size_t hat = size.find('^');
  if (hat == std::string::npos)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("size {}: a sweep over edges needs a power, as in 512^3", size));
  return fmt::format("{}{}", edge, size.substr(hat));
}

Chart make_chart(const Arguments& arguments, const fabric::Machine& machine) {
  const int axes = static_cast<int>(!arguments.nodes.empty()) +
                   static_cast<int>(!arguments.edges.empty()) +
                   static_cast<int>(!arguments.groups.empty());
  if (axes != 1)
    throw Error(ErrorCode::invalid_argument,
                "a sweep runs over one thing: give --nodes, --edges or --over-groups");
  const bool over_nodes = !arguments.nodes.empty();
  const bool over_edges = !arguments.edges.empty();
  const auto& values = over_nodes   ? arguments.nodes
                       : over_edges ? arguments.edges
                                    : arguments.groups;
  Chart chart;
  chart.title =
      fmt::format("{}: {}", machine.name,
                  over_edges ? "by size" : fmt::format("size {}", arguments.request.wafer.size));
  chart.x_label = over_nodes ? "nodes" : over_edges ? "edge" : "groups";
  chart.y_label = label_of(arguments.value);
  chart.log_x = !arguments.groups.empty() ? false : true;
  chart.log_y = arguments.value == "tflops" || arguments.value == "seconds";
  for (const int value : values) {
    PredictionRequest request = arguments.request;
    if (over_nodes) request.nodes = value;
    if (over_edges) request.wafer.size = with_edge(request.wafer.size, value);
    if (!over_nodes && !over_edges) request.wafer.groups = value;
    const std::vector<Prediction> predictions = predict(machine, request);
    chart.series.resize(predictions.size());
    for (std::size_t k = 0; k < predictions.size(); ++k) {
      const bool wafer = predictions.size() == 1;
      chart.series[k].name = wafer ? request.wafer.schedule : predictions[k].scheme;
      chart.series[k].points.emplace_back(value, value_of(predictions[k], arguments.value));
    }
  }
  return chart;
}

void run(const Arguments& arguments) {
  const fabric::Machine machine = fabric::load_machine(arguments.request.wafer.machine);
  const Chart chart = make_chart(arguments, machine);
  if (!arguments.csv.empty()) write_file(arguments.csv, to_csv(chart));
  if (!arguments.svg.empty()) write_file(arguments.svg, to_svg(chart));
  if (arguments.json != "-") fmt::print("{}", to_csv(chart));
  nlohmann::json series = nlohmann::json::array();
  for (const Series& one : chart.series)
    series.push_back({{"name", one.name}, {"points", one.points}});
  write_json(
      arguments.json,
      {{"machine", machine.name}, {"x", chart.x_label}, {"y", chart.y_label}, {"series", series}});
}

}  // namespace

void add_sweep_command(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *app.add_subcommand("sweep", "A curve of predictions over nodes or sizes");
  add_wafer_options(command, arguments->request.wafer);
  command.add_option("--nodes", arguments->nodes, "Over nodes: 32,64,128")->delimiter(',');
  command.add_option("--edges", arguments->edges, "Over sizes, the edge of 512^3: 32,64,128")
      ->delimiter(',');
  command.add_option("--over-groups", arguments->groups, "Over segments of the wafer's lines")
      ->delimiter(',');
  command.add_option("--value", arguments->value, "tflops, seconds, exchange-share or bound-share")
      ->capture_default_str();
  command.add_option("--csv", arguments->csv, "Write the table to a file");
  command.add_option("--svg", arguments->svg, "Draw the curves");
  add_json_flag(command, arguments->json);
  command.footer(
      "Examples:\n"
      "  weft sweep --machine summit --size 1024^3 --precision f64 --nodes 32,64,128,256,512,1024\n"
      "  weft sweep --machine wse2-measured --edges 32,64,128,256,512 --svg weak.svg\n"
      "  weft sweep --machine wse2 --size 512^3 --schedule segmented --over-groups 1,2,4,6,8,9 "
      "--value seconds");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
