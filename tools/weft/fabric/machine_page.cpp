// SPDX-License-Identifier: BSD-3-Clause
#include "machine_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "paper.hpp"
#include "prediction_chart.hpp"
#include "text.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

/// Whether a dotted name is, or lies within, what `pattern` names; `*` stands for one part.
bool is_within(std::string_view name, std::string_view pattern) {
  while (true) {
    const std::string_view part = pattern.substr(0, pattern.find('.'));
    const std::string_view mine = name.substr(0, name.find('.'));
    if (part != "*" && part != mine) return false;
    if (part.size() == pattern.size()) return true;
    if (mine.size() == name.size()) return false;
    pattern.remove_prefix(part.size() + 1);
    name.remove_prefix(mine.size() + 1);
  }
}

const char* origin_of(const fabric::FabricMachine& machine, const std::string& key) {
  const auto names = [&](const std::vector<std::string>& list) {
    return std::ranges::any_of(list,
                               [&](const std::string& pattern) { return is_within(key, pattern); });
  };
  return names(machine.fitted) ? "fitted" : names(machine.assumed) ? "assumed" : "given";
}

/// Every number of the machine's file; names of inner ones are dotted.
void add_numbers(const nlohmann::json& part, const std::string& prefix,
                 const fabric::FabricMachine& machine, TextTable& table) {
  for (const auto& [key, value] : part.items()) {
    const std::string name = prefix + key;
    if (value.is_object())
      add_numbers(value, name + ".", machine, table);
    else if (!value.is_string() && name != "fitted" && name != "assumed")
      table.rows.push_back(
          {name, value.is_number_float() ? number_text(value.get<double>()) : value.dump(),
           origin_of(machine, name)});
  }
}

PaperItem numbers_of(const fabric::FabricMachine& machine, const std::string& name) {
  const nlohmann::json file =
      nlohmann::json::parse(fabric::machine_file(name), nullptr, true, true);
  PaperItem item{
      .name = "Its numbers",
      .subject = "what its file says",
      .answer = fmt::format("`weft predict --show {}` prints it, to copy and edit", name),
      .table = TextTable{.head = {"key", "value", "origin"}, .rows = {}}};
  add_numbers(file, "", machine, *item.table);
  return item;
}

PaperItem predictions_of(const fabric::FabricMachine& machine, const PredictionRequest& request) {
  PaperItem item{.name = "One transform",
                 .subject = "",
                 .answer = "by formulas; the bound is what the network alone takes",
                 .table = TextTable{
                     .head = {"scheme", "time", "Tflop/s", "exchange", "bound", "limit", "memory"},
                     .rows = {}}};
  const std::vector<Prediction> predictions = predict(machine, request);
  item.subject = fmt::format("{} in {} on {:.0f} node{}", request.wafer.size,
                             to_string(precision_of(machine, request)), predictions[0].nodes,
                             predictions[0].nodes == 1 ? "" : "s");
  for (const Prediction& one : predictions)
    item.table->rows.push_back(
        {one.scheme, seconds_text(one.seconds), fmt::format("{:.4g}", one.tflops()),
         fmt::format("{:.0f} %", 100 * one.exchange_s / one.seconds),
         one.bound_s > 0 ? seconds_text(one.bound_s) : "", one.limit, one.memory});
  return item;
}

/// The powers of two up to `last` for which the machine has a prediction.
std::vector<int> possible(const fabric::FabricMachine& machine, const PredictionRequest& request,
                          int last, bool is_edge) {
  std::vector<int> values;
  for (int value = is_edge ? 16 : 1; value <= last; value *= 2) try {
      SweepValues one;
      (is_edge ? one.edges : one.nodes) = {value};
      prediction_chart(machine, request, one);
      values.push_back(value);
    } catch (const Error&) {  // too many nodes, no such mesh
    }
  return values;
}

PaperItem chart_of(const fabric::FabricMachine& machine, const PredictionRequest& request,
                   bool is_edge) {
  PredictionRequest quick = request;
  quick.closed_forms_only = true;
  SweepValues sweep;
  (is_edge ? sweep.edges : sweep.nodes) =
      possible(machine, quick, is_edge ? 4096 : 1 << 20, is_edge);
  PaperItem item{
      .name = is_edge ? "By size" : "By nodes",
      .subject = is_edge ? "the rate by the edge of the array"
                         : fmt::format("the rate of {} by the number of nodes", request.wafer.size),
      .answer = "hollow points do not fit the memory"};
  if ((is_edge ? sweep.edges : sweep.nodes).size() > 1)
    item.pictures = {to_svg(prediction_chart(machine, quick, sweep))};
  return item;
}

}  // namespace

std::string machine_page(const fabric::FabricMachine& machine, const PredictionRequest& request) {
  PaperReport page{
      .name = machine.name, .title = machine.name, .rows = {}, .items = {}, .notes = {}};
  page.notes.push_back(machine.description + ".");
  page.items.push_back(predictions_of(machine, request));
  const bool is_wafer = std::holds_alternative<fabric::WaferMachine>(machine.what);
  if (request.wafer.size.find('^') != std::string::npos) {
    PaperItem by_size = chart_of(machine, request, true);
    if (by_size.is_shown()) page.items.push_back(std::move(by_size));
  }
  if (!is_wafer) {
    PaperItem by_nodes = chart_of(machine, request, false);
    if (by_nodes.is_shown()) page.items.push_back(std::move(by_nodes));
  }
  page.items.push_back(numbers_of(machine, request.wafer.machine));
  return to_html(page);
}

}  // namespace weft::tool
