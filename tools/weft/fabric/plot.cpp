// SPDX-License-Identifier: BSD-3-Clause
#include "plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "../text.hpp"

namespace weft::tool {
namespace {

constexpr double width = 720, height = 440;
constexpr double left = 78, right = 20, top = 46, bottom = 58;
constexpr std::array<const char*, 6> palette = {"#0b66c3", "#d1495b", "#2a9d5c",
                                                "#8e5bb5", "#d98a00", "#3c4a57"};

/// A range of values on a stretch of the picture.
class Axis {
 public:
  Axis(std::vector<double> values, bool is_log, double from, double to)
      : log_(is_log), from_(from), to_(to) {
    std::erase_if(values, [&](double v) { return !std::isfinite(v) || (is_log && v <= 0); });
    if (values.empty()) values = {1, 10};
    const auto [low, high] = std::ranges::minmax_element(values);
    low_ = scaled(*low);
    high_ = scaled(*high);
    if (!log_) low_ = std::min(low_, 0.0);
    if (high_ - low_ < 1e-12) high_ = low_ + 1;
    const double margin = 0.04 * (high_ - low_);
    high_ += margin;
    if (log_) low_ -= margin;
  }

  double at(double value) const {
    return from_ + (scaled(value) - low_) / (high_ - low_) * (to_ - from_);
  }
  std::vector<double> ticks() const {
    std::vector<double> result;
    if (log_) {
      const bool narrow = high_ - low_ < 2.2;
      for (int power = static_cast<int>(std::floor(low_)); power <= std::ceil(high_); ++power)
        for (const double digit : {1.0, 2.0, 5.0})
          if (digit == 1 || narrow) add(result, digit * std::pow(10.0, power));
      return result;
    }
    const double raw = (high_ - low_) / 6;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    const double step = power * (raw / power < 1.5   ? 1
                                 : raw / power < 3.5 ? 2
                                 : raw / power < 7.5 ? 5
                                                     : 10);
    for (double value = std::ceil(low_ / step) * step; value <= high_; value += step)
      add(result, value);
    return result;
  }

 private:
  double scaled(double value) const { return log_ ? std::log10(value) : value; }
  void add(std::vector<double>& ticks, double value) const {
    if (scaled(value) >= low_ - 1e-9 && scaled(value) <= high_ + 1e-9)
      ticks.push_back(std::fabs(value) < 1e-12 ? 0 : value);
  }

  bool log_;
  double from_, to_, low_ = 0, high_ = 1;
};

std::string tick_text(double value) {
  if (value == 0 || (std::fabs(value) < 1e6 && std::fabs(value) >= 1e-3))
    return fmt::format("{:g}", value);
  const auto exponent = static_cast<int>(std::floor(std::log10(std::fabs(value)) + 1e-9));
  return fmt::format("{:.0f}e{}", value / std::pow(10.0, exponent), exponent);
}

std::vector<double> all(const Chart& chart, bool x) {
  std::vector<double> values;
  for (const Series& series : chart.series)
    for (const auto& [px, py] : series.points) values.push_back(x ? px : py);
  return values;
}

std::string frame(const Chart& chart, const Axis& x, const Axis& y) {
  std::string svg;
  for (const double tick : x.ticks())
    svg += fmt::format(
        "<line x1='{0:.1f}' y1='{1}' x2='{0:.1f}' y2='{2}' class='grid'/>"
        "<text x='{0:.1f}' y='{3}' text-anchor='middle'>{4}</text>\n",
        x.at(tick), top, height - bottom, height - bottom + 18, tick_text(tick));
  for (const double tick : y.ticks())
    svg += fmt::format(
        "<line x1='{0}' y1='{1:.1f}' x2='{2}' y2='{1:.1f}' class='grid'/>"
        "<text x='{3}' y='{4:.1f}' text-anchor='end'>{5}</text>\n",
        left, y.at(tick), width - right, left - 8, y.at(tick) + 4, tick_text(tick));
  svg += fmt::format("<path d='M{0} {1}V{2}H{3}' fill='none' stroke='#333'/>\n", left, top,
                     height - bottom, width - right);
  svg += fmt::format("<text x='{}' y='26' class='title'>{}</text>\n", left,
                     escaped_markup(chart.title));
  svg += fmt::format("<text x='{}' y='{}' text-anchor='middle'>{}</text>\n",
                     (left + width - right) / 2, height - 16, escaped_markup(chart.x_label));
  svg += fmt::format(
      "<text x='18' y='{0}' text-anchor='middle' transform='rotate(-90 18 {0})'>{1}</text>\n",
      (top + height - bottom) / 2, escaped_markup(chart.y_label));
  return svg;
}

/// Where the legend hides the fewest points.
std::pair<double, double> legend_corner(const Chart& chart, const Axis& x, const Axis& y,
                                        double box_width, double box_height) {
  std::pair<double, double> best;
  std::optional<int> fewest;
  for (const double corner_y : {top + 8, height - bottom - box_height - 8})
    for (const double corner_x : {left + 12, width - right - box_width - 8}) {
      int hidden = 0;
      for (const Series& series : chart.series)
        for (const auto& [px, py] : series.points)
          if (x.at(px) > corner_x - 10 && x.at(px) < corner_x + box_width + 10 &&
              y.at(py) > corner_y - 10 && y.at(py) < corner_y + box_height + 10)
            ++hidden;
      if (!fewest || hidden < *fewest) {
        fewest = hidden;
        best = {corner_x, corner_y};
      }
    }
  return best;
}

}  // namespace

std::string to_svg(const Chart& chart) {
  const Axis x(all(chart, true), chart.log_x, left, width - right);
  const Axis y(all(chart, false), chart.log_y, height - bottom, top);
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' height='{1}'>\n"
      "<style>text{{font:13px sans-serif;fill:#222}}.title{{font-size:16px;font-weight:bold}}"
      ".grid{{stroke:#ddd}}</style>\n<rect width='{0}' height='{1}' fill='white'/>\n",
      width, height);
  svg += frame(chart, x, y);
  std::size_t longest = 0;
  for (const Series& series : chart.series) longest = std::max(longest, series.name.size());
  const double box_width = 44 + 7.4 * static_cast<double>(longest);
  const double box_height = 12 + 20 * static_cast<double>(chart.series.size());
  const auto [corner_x, corner_y] = legend_corner(chart, x, y, box_width, box_height);
  std::string legend = fmt::format(
      "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='white' fill-opacity='0.85' "
      "stroke='#bbb'/>\n",
      corner_x, corner_y, box_width, box_height);
  for (std::size_t k = 0; k < chart.series.size(); ++k) {
    const Series& series = chart.series[k];
    const char* color = palette[k % palette.size()];
    const char* dash = series.dashed ? " stroke-dasharray='6 4'" : "";
    std::string path;
    for (const auto& [px, py] : series.points) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.at(px), y.at(py));
      svg += fmt::format(
          "<circle cx='{:.1f}' cy='{:.1f}' r='3.2' fill='{}'><title>{}: {:g}, {:g}"
          "</title></circle>\n",
          x.at(px), y.at(py), color, escaped_markup(series.name), px, py);
    }
    svg += fmt::format("<path d='{}' fill='none' stroke='{}' stroke-width='2'{}/>\n", path, color,
                       dash);
    const double line = corner_y + 16 + 20 * static_cast<double>(k);
    legend += fmt::format(
        "<line x1='{0:.1f}' y1='{1:.1f}' x2='{2:.1f}' y2='{1:.1f}' stroke='{3}' "
        "stroke-width='2'{4}/><text x='{5:.1f}' y='{6:.1f}'>{7}</text>\n",
        corner_x + 8, line, corner_x + 32, color, dash, corner_x + 38, line + 4,
        escaped_markup(series.name));
  }
  return svg + legend + "</svg>\n";
}

std::string to_csv(const Chart& chart) {
  std::map<double, std::vector<std::optional<double>>> rows;
  for (std::size_t k = 0; k < chart.series.size(); ++k)
    for (const auto& [x, y] : chart.series[k].points) {
      auto& row = rows[x];
      row.resize(chart.series.size());
      row[k] = y;
    }
  const auto quoted = [](const std::string& text) {
    return text.find_first_of(",\"") == std::string::npos ? text : '"' + text + '"';
  };
  std::string csv = quoted(chart.x_label);
  for (const Series& series : chart.series) csv += "," + quoted(series.name);
  csv += "\n";
  for (const auto& [x, row] : rows) {
    csv += fmt::format("{:.12g}", x);
    for (const auto& value : row) csv += value ? fmt::format(",{:.8g}", *value) : ",";
    csv += "\n";
  }
  return csv;
}

}  // namespace weft::tool
