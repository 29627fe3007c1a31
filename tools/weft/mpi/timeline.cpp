// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "comm/agree.hpp"
#include "text.hpp"

namespace weft::tool {
namespace {

double end_of(const Timeline& timeline) {
  double end = 0;
  for (const auto& events : timeline)
    for (const TraceEvent& event : events) end = std::max(end, event.end_s);
  return end;
}

/// Colors by name: exchanges grey, copies sand, transforms in order of appearance.
std::map<std::string, std::string> colors_of(const Timeline& timeline) {
  static constexpr const char* palette[] = {"#2f6db5", "#3a9d6e", "#8a5fb0", "#c2572f", "#b03a6f"};
  std::map<std::string, std::string> colors{{"exchange", "#9aa3ad"}, {"copy", "#d9b871"}};
  std::size_t next = 0;
  for (const auto& events : timeline)
    for (const TraceEvent& event : events)
      if (!colors.contains(event.name)) colors[event.name] = palette[next++ % std::size(palette)];
  return colors;
}

/// 1, 2 or 5 times a power of ten, for at most ten ticks.
double tick_step(double end) {
  const double power = std::pow(10.0, std::floor(std::log10(std::max(end, 1e-12) / 10)));
  for (double step : {1.0, 2.0, 5.0, 10.0})
    if (end / (step * power) <= 10) return step * power;
  return 10 * power;
}

}  // namespace

Timeline gather_timeline(const Comm& comm, const std::vector<TraceEvent>& mine) {
  nlohmann::json events = nlohmann::json::array();
  for (const TraceEvent& event : mine) events.push_back({event.name, event.begin_s, event.end_s});
  Timeline timeline;
  for (const std::string& text : gather_texts(comm, events.dump())) {
    timeline.emplace_back();
    for (const auto& event : nlohmann::json::parse(text))
      timeline.back().push_back({event[0], event[1], event[2]});
  }
  return timeline;
}

std::string chrome_trace(const Timeline& timeline) {
  nlohmann::json events = nlohmann::json::array();
  for (std::size_t rank = 0; rank < timeline.size(); ++rank) {
    events.push_back({{"name", "process_name"},
                      {"ph", "M"},
                      {"pid", rank},
                      {"args", {{"name", fmt::format("rank {}", rank)}}}});
    for (const TraceEvent& event : timeline[rank])
      events.push_back({{"name", event.name},
                        {"ph", "X"},
                        {"pid", rank},
                        {"tid", 0},
                        {"ts", event.begin_s * 1e6},
                        {"dur", (event.end_s - event.begin_s) * 1e6}});
  }
  return nlohmann::json{{"traceEvents", events}, {"displayTimeUnit", "ms"}}.dump(1) + "\n";
}

std::string timeline_svg(const Timeline& timeline, const std::string& title) {
  constexpr int left = 70, width = 900, row = 30, bar_height = 20, top = 64;
  const double end = std::max(end_of(timeline), 1e-9);
  const auto x = [&](double seconds) { return left + width * seconds / end; };
  const auto colors = colors_of(timeline);
  const int bottom = top + row * static_cast<int>(timeline.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{}\" y=\"22\" font-size=\"16\">{}</text>\n",
      left + width + 30, bottom + 44, left, title);
  int legend = left;
  for (const auto& [name, color] : colors) {
    svg += fmt::format(
        "<rect x=\"{}\" y=\"34\" width=\"12\" height=\"12\" fill=\"{}\"/>"
        "<text x=\"{}\" y=\"45\">{}</text>\n",
        legend, color, legend + 17, name);
    legend += 40 + 8 * static_cast<int>(name.size());
  }
  for (double t = 0; t <= end * 1.0001; t += tick_step(end))
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#ddd\"/>"
        "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\" fill=\"#555\">{4}</text>\n",
        x(t), top - 6, bottom, bottom + 18, t == 0 ? "0" : seconds_text(t));
  for (std::size_t rank = 0; rank < timeline.size(); ++rank) {
    const int y = top + row * static_cast<int>(rank);
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">rank {}</text>\n", left - 8,
                       y + 15, rank);
    for (const TraceEvent& event : timeline[rank])
      svg += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\">"
          "<title>{} {}</title></rect>\n",
          x(event.begin_s), y, std::max(0.5, x(event.end_s) - x(event.begin_s)), bar_height,
          colors.at(event.name), event.name, seconds_text(event.end_s - event.begin_s));
  }
  return svg + "</svg>\n";
}

}  // namespace weft::tool
