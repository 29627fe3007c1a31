// SPDX-License-Identifier: BSD-3-Clause
#include "design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "../text.hpp"
#include "cost_formula.hpp"
#include "design_page.hpp"
#include "fabric/fabric_machine.hpp"
#include "prediction.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace design {

using nlohmann::json;

constexpr std::size_t most_machines = 20000, longest_text = std::size_t{1} << 20;

/// Part of a design file, with the file's name in its messages.
struct Reader {
  const json& value;
  const std::string& origin;

  [[noreturn]] void fail(const std::string& what) const {
    refuse(fmt::format("design file {}: {}", origin, what));
  }
  const json& at(const char* key) const {
    if (!value.is_object() || !value.contains(key)) fail(fmt::format("`{}` is missing", key));
    return value[key];
  }
  std::string text(const char* key) const {
    const json& found = at(key);
    if (!found.is_string()) fail(fmt::format("`{}` must be a text", key));
    return found.get<std::string>();
  }
  void allow(const std::vector<std::string>& keys) const {
    for (const auto& [key, unused] : value.items())
      if (std::ranges::find(keys, key) == keys.end()) fail(fmt::format("`{}` is not known", key));
  }
};

json parse_file(const std::string& text, const std::string& origin) {
  if (text.size() > longest_text)
    refuse(fmt::format("design file {}: more than {} bytes", origin, longest_text));
  json document;
  try {
    document = json::parse(text, nullptr, true, true);
  } catch (const json::parse_error& error) {
    const auto begin = text.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    refuse(
        fmt::format("design file {}: is not a JSON object: line {} has a mistake, such as a "
                    "missing bracket, quote or comma, or a comma too many",
                    origin, 1 + std::count(begin, end, '\n')));
  }
  if (!document.is_object()) refuse(fmt::format("design file {}: is not a JSON object", origin));
  return document;
}

struct Range {
  std::string key;
  std::vector<json> values;
};

std::vector<Range> ranges_of(const Reader& family) {
  std::vector<Range> ranges;
  const json& given = family.at("ranges");
  if (!given.is_object()) family.fail("`ranges` must be an object of lists");
  std::size_t machines = 1;
  for (const auto& [key, values] : given.items()) {
    if (!values.is_array() || values.empty())
      family.fail(fmt::format("`ranges.{}` must be a list of at least one value", key));
    ranges.push_back({key, values.get<std::vector<json>>()});
    machines *= values.size();
    if (machines > most_machines)
      family.fail(
          fmt::format("more than {} machines in a family; give fewer values", most_machines));
  }
  std::ranges::stable_partition(ranges, [](const Range& range) { return range.key == "nodes"; });
  return ranges;
}

/// The value at "routers.colors" of a machine file.
json& place_of(json& machine, const std::string& key, const Reader& family) {
  json* here = &machine;
  std::size_t begin = 0;
  while (true) {
    const std::size_t dot = key.find('.', begin);
    const std::string part = key.substr(begin, dot - begin);
    if (!here->is_object() || !here->contains(part))
      family.fail(
          fmt::format("`ranges.{}`: the base machine has no such key; `nodes` and the keys "
                      "that `weft predict --show` prints can vary",
                      key));
    here = &(*here)[part];
    if (dot == std::string::npos) return *here;
    begin = dot + 1;
  }
}

/// All numbers of a machine file, by their dotted names.
void collect_numbers(const json& machine, const std::string& prefix,
                     std::map<std::string, double>& names) {
  for (const auto& [key, value] : machine.items()) {
    const std::string name = prefix.empty() ? key : prefix + "." + key;
    if (value.is_number()) names[name] = value.get<double>();
    if (value.is_object()) collect_numbers(value, name, names);
  }
}

struct Workload {
  std::string size, precision;
};

/// The fastest scheme of one machine.
DesignPoint best_of(const json& machine, int nodes, const Workload& workload,
                    const std::string& formula) {
  PredictionRequest request;
  request.wafer.size = workload.size;
  request.wafer.precision = workload.precision;
  request.wafer.schedule = "segmented";
  request.nodes = nodes;
  request.closed_forms_only = true;
  const fabric::FabricMachine parsed = fabric::parse_machine(machine.dump(), "of the design");
  std::vector<Prediction> predictions = predict(parsed, request);
  if (const auto* wafer = std::get_if<fabric::WaferMachine>(&parsed.what);
      wafer != nullptr && nodes == 0) {
    request.wafer.schedule = "crossed";
    try {
      predictions.push_back(predict(parsed, request).front());
    } catch (const Error&) {  // only cubes with an even edge
    }
  }
  const Prediction& best = *std::ranges::min_element(
      predictions, {},
      [](const Prediction& prediction) { return std::pair{!prediction.fits, prediction.seconds}; });
  DesignPoint point{.scheme = best.scheme,
                    .limit = best.limit,
                    .seconds = best.seconds,
                    .tflops = best.tflops(),
                    .bound_s = best.bound_s,
                    .fits = best.fits};
  std::map<std::string, double> names;
  collect_numbers(machine, "", names);
  names["nodes"] = best.nodes;
  point.cost = value_of_formula(formula, names);
  if (point.cost <= 0)
    refuse(fmt::format("formula '{}' gives {:g}; a cost must be above zero", formula, point.cost));
  return point;
}

void explore_family(Design& design, const Reader& family, const Workload& workload) {
  family.allow({"name", "base", "ranges", "cost"});
  const std::string name = family.text("name"), formula = family.text("cost");
  fabric::load_machine(family.text("base"));  // says what is wrong with it
  const json base = json::parse(fabric::machine_file(family.text("base")), nullptr, true, true);
  const std::vector<Range> ranges = ranges_of(family);
  std::vector<std::size_t> choice(ranges.size(), 0);
  while (true) {
    json machine = base;
    int nodes = 0;
    std::vector<std::pair<std::string, std::string>> choices;
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      const json& value = ranges[k].values[choice[k]];
      choices.emplace_back(ranges[k].key, value.dump());
      if (ranges[k].key != "nodes") {
        place_of(machine, ranges[k].key, family) = value;
      } else {
        if (!value.is_number_integer() || value.get<std::int64_t>() < 1 ||
            value.get<std::int64_t>() > 1 << 24)
          family.fail("`ranges.nodes` must be numbers from 1 to 2^24");
        nodes = value.get<int>();
      }
    }
    try {
      DesignPoint point = best_of(machine, nodes, workload, formula);
      point.family = name;
      point.choices = choices;
      design.points.push_back(point);
    } catch (const Error& error) {
      if (std::string(error.what()).starts_with("formula "))
        family.fail(fmt::format("family {}: {}", name, error.what()));
      if (design.impossible++ == 0) design.reason = error.what();
    }
    std::size_t k = 0;  // the next combination
    while (k < choice.size() && ++choice[k] == ranges[k].values.size()) choice[k++] = 0;
    if (k == choice.size()) return;
  }
}

/// Cheapest first; of equal cost the fastest first. What is faster than all before it is best.
void mark_front(std::vector<DesignPoint>& points) {
  std::vector<std::size_t> order(points.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::sort(order, {},
                    [&](std::size_t k) { return std::pair{points[k].cost, points[k].seconds}; });
  double fastest = std::numeric_limits<double>::infinity();
  for (const std::size_t k : order)
    if (points[k].fits && points[k].seconds < fastest) {
      fastest = points[k].seconds;
      points[k].is_best = true;
    }
}

std::string choices_text(const DesignPoint& point) {
  std::string text;
  for (const auto& [key, value] : point.choices) {
    const json number = json::parse(value);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key,
                        number.is_number_float() ? number_text(number.get<double>()) : value);
  }
  return text;
}

}  // namespace design

Design explore(const std::string& text, const std::string& origin) {
  using namespace design;
  const json document = parse_file(text, origin);
  const Reader reader{document, origin};
  reader.allow({"workload", "families"});
  const Reader work{reader.at("workload"), origin};
  const Workload workload{work.text("size"), work.text("precision")};
  work.allow({"size", "precision"});
  Design result{.size = workload.size, .precision = workload.precision, .points = {}, .reason = {}};
  const json& families = reader.at("families");
  if (!families.is_array() || families.empty())
    reader.fail("`families` must be a list of at least one family");
  for (const json& family : families) explore_family(result, {family, origin}, workload);
  if (result.points.empty())
    refuse(fmt::format("design file {}: no machine carries out {} in {}: {}", origin, result.size,
                       result.precision, result.reason));
  mark_front(result.points);
  return result;
}

std::vector<DesignPoint> front_of(const Design& design) {
  std::vector<DesignPoint> front;
  for (const DesignPoint& point : design.points)
    if (point.is_best) front.push_back(point);
  std::ranges::sort(front, {}, &DesignPoint::cost);
  return front;
}

std::string to_text(const Design& design) {
  const auto unfit = std::ranges::count(design.points, false, &DesignPoint::fits);
  std::string text = fmt::format("{} {}: {} machine{}, {} too small for it, {} impossible\n",
                                 design.size, design.precision, design.points.size(),
                                 design.points.size() == 1 ? "" : "s", unfit, design.impossible);
  if (design.impossible > 0) text += fmt::format("  impossible: {}\n", design.reason);
  text += fmt::format("  {:>12} {:>11} {:>10} {:>8}  {:<12} {}\n", "cost", "time", "Tflop/s",
                      "of bound", "family", "machine");
  for (const DesignPoint& point : front_of(design))
    text +=
        fmt::format("  {:>12.5g} {:>11} {:>10.4g} {:>6.0f} %  {:<12} {}\n", point.cost,
                    seconds_text(point.seconds), point.tflops, 100 * point.bound_s / point.seconds,
                    point.family, design::choices_text(point));
  return text;
}

Chart chart_of(const Design& design) {
  Chart chart{.title = fmt::format("{} {}: time against cost", design.size, design.precision),
              .x_label = "cost",
              .y_label = "seconds",
              .log_x = true,
              .log_y = true,
              .series = {}};
  Series front{.name = "front", .points = {}};
  for (const DesignPoint& point : front_of(design))
    front.points.emplace_back(point.cost, point.seconds);
  chart.series.push_back(front);
  for (const DesignPoint& point : design.points) {
    auto family = std::ranges::find(chart.series, point.family, &Series::name);
    if (family == chart.series.end())
      family = chart.series.insert(
          chart.series.end(),
          {.name = point.family, .points = {}, .hollow = {}, .only_points = true});
    family->points.emplace_back(point.cost, point.seconds);
    if (!point.fits) family->hollow.insert(point.cost);
  }
  return chart;
}

nlohmann::json to_json(const Design& design) {
  nlohmann::json points = nlohmann::json::array();
  for (const DesignPoint& point : design.points) {
    nlohmann::json choices = nlohmann::json::object();
    for (const auto& [key, value] : point.choices) choices[key] = nlohmann::json::parse(value);
    points.push_back({{"family", point.family},
                      {"choices", choices},
                      {"scheme", point.scheme},
                      {"limit", point.limit},
                      {"seconds", point.seconds},
                      {"bound_s", point.bound_s},
                      {"tflops", point.tflops},
                      {"cost", point.cost},
                      {"fits", point.fits},
                      {"best", point.is_best}});
  }
  return {{"size", design.size},
          {"precision", design.precision},
          {"impossible", design.impossible},
          {"reason", design.reason},
          {"points", points}};
}

std::string to_html(const Design& design) {
  std::string page = design_page;
  const std::string mark = "@design@";
  std::string data = to_json(design).dump();
  for (std::size_t at = 0; (at = data.find("</", at)) != std::string::npos; at += 3)
    data.replace(at, 2, "<\\/");  // no end of the script inside of it
  page.replace(page.find(mark), mark.size(), data);
  return page;
}

}  // namespace weft::tool
