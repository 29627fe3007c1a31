// SPDX-License-Identifier: BSD-3-Clause
#include "prediction_chart.hpp"

#include <fmt/format.h>

#include "weft/error.hpp"

namespace weft::tool {
namespace {

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

}  // namespace

Chart prediction_chart(const fabric::FabricMachine& machine, const PredictionRequest& asked,
                       const SweepValues& sweep) {
  const int axes = static_cast<int>(!sweep.nodes.empty()) + static_cast<int>(!sweep.edges.empty()) +
                   static_cast<int>(!sweep.groups.empty());
  const bool together = axes == 2 && sweep.groups.empty();  // weak scaling
  if (axes != 1 && !together)
    throw Error(ErrorCode::invalid_argument,
                "give exactly one of --nodes, --edges and --over-groups, or --nodes and --edges "
                "together");
  if (together && sweep.nodes.size() != sweep.edges.size())
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} --nodes and {} --edges: together they must be as many, one edge "
                            "for each node count",
                            sweep.nodes.size(), sweep.edges.size()));
  const bool over_nodes = !sweep.nodes.empty();
  const bool over_edges = !sweep.edges.empty();
  const auto& values = over_nodes ? sweep.nodes : over_edges ? sweep.edges : sweep.groups;
  Chart chart;
  chart.title = fmt::format("{}: {}", machine.name,
                            together     ? "nodes and size together"
                            : over_edges ? "by size"
                                         : fmt::format("size {}", asked.wafer.size));
  chart.x_label = over_nodes ? "nodes" : over_edges ? "edge" : "groups";
  chart.y_label = label_of(sweep.value);
  chart.log_x = !sweep.groups.empty() ? false : true;
  chart.log_y = sweep.value == "tflops" || sweep.value == "seconds";
  for (std::size_t k = 0; k < values.size(); ++k) {
    const int value = values[k];
    PredictionRequest request = asked;
    if (over_nodes) request.nodes = value;
    if (together) request.wafer.size = with_edge(request.wafer.size, sweep.edges[k]);
    if (over_edges && !together) request.wafer.size = with_edge(request.wafer.size, value);
    if (!over_nodes && !over_edges) request.wafer.groups = value;
    for (const Prediction& prediction : predict(machine, request)) {
      Series& series = series_of(chart, series_name(machine, prediction, request));
      series.points.emplace_back(value, value_of(prediction, sweep.value));
      if (!prediction.fits) series.hollow.insert(value);
    }
  }
  return chart;
}

}  // namespace weft::tool
