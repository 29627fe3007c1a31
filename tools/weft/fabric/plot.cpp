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

// Of the picture without its legend: so narrow that its letters can be read on a phone.
constexpr double width = 480, height = 340;
constexpr double left = 74, right = 16, top = 42, bottom = 58;
constexpr double margin = 12, legend_line = 22, letter_width = 7.8;
constexpr double shown_larger = 1.35;  // where there is room
constexpr std::array<const char*, 6> palette = {"#0b66c3", "#d1495b", "#2a9d5c",
                                                "#8e5bb5", "#d98a00", "#3c4a57"};

bool is_power_of_two(double value) {
  return value > 0 && std::exp2(std::round(std::log2(value))) == value;
}

/// A range of values on a stretch of the picture. Logarithmic axes of powers of two have their
/// ticks there, others at powers of ten.
class Axis {
 public:
  Axis(std::vector<double> values, bool is_log, double from, double to)
      : log_(is_log), from_(from), to_(to) {
    std::erase_if(values, [&](double v) { return !std::isfinite(v) || (is_log && v <= 0); });
    if (values.empty()) values = {1, 10};
    const auto [low, high] = std::ranges::minmax_element(values);
    binary_ = std::ranges::all_of(values, is_power_of_two);
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
  /// At least two, so that the scale can be read.
  std::vector<double> ticks() const {
    if (!log_) return even_ticks(low_, high_);
    const std::vector<double> ticks = log_ticks();
    return ticks.size() > 1 ? ticks : even_ticks(std::exp2(low_), std::exp2(high_));
  }

 private:
  double scaled(double value) const { return log_ ? std::log2(value) : value; }
  void add(std::vector<double>& ticks, double value) const {
    if (scaled(value) >= low_ - 1e-9 && scaled(value) <= high_ + 1e-9)
      ticks.push_back(std::fabs(value) < 1e-12 ? 0 : value);
  }
  std::vector<double> log_ticks() const {
    std::vector<double> result;
    const double octaves = high_ - low_;
    if (!binary_) {
      const double decades = std::log10(2.0);
      for (int power = static_cast<int>(std::floor(low_ * decades));
           power <= std::ceil(high_ * decades); ++power)
        for (const double digit : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0})
          if (digit == 1 || (octaves < 8 && (digit == 2 || digit == 5)) || octaves < 2.5)
            add(result, digit * std::pow(10.0, power));
      return result;
    }
    const int step = std::max(1, static_cast<int>(std::ceil(octaves / 11)));
    const int first = static_cast<int>(std::ceil(low_ - 1e-9));
    for (int power = first; power <= high_ + 1e-9; power += step) add(result, std::exp2(power));
    return result;
  }
  std::vector<double> even_ticks(double low, double high) const {
    std::vector<double> result;
    const double raw = (high - low) / 6;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    const double step = power * (raw / power < 1.5   ? 1
                                 : raw / power < 3.5 ? 2
                                 : raw / power < 7.5 ? 5
                                                     : 10);
    for (double value = std::ceil(low / step) * step; value <= high; value += step)
      add(result, value);
    return result;
  }

  bool log_, binary_ = false;
  double from_, to_, low_ = 0, high_ = 1;
};

/// In at most `letters` where they suffice.
std::string tick_text(double value, std::size_t letters = 8) {
  const bool is_whole = std::fabs(value) >= 1 && value == std::round(value);
  std::string plain = is_whole ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
  if (value == 0 || (std::fabs(value) < 1e7 && std::fabs(value) >= 1e-3 && plain.size() <= letters))
    return plain;
  const auto exponent = static_cast<int>(std::floor(std::log10(std::fabs(value)) + 1e-9));
  return fmt::format("{:.3g}e{}", value / std::pow(10.0, exponent), exponent);
}

std::vector<double> all(const Chart& chart, bool x) {
  std::vector<double> values;
  for (const Series& series : chart.series)
    for (const auto& [px, py] : series.points) values.push_back(x ? px : py);
  return values;
}

std::string rows_of_grid(const Axis& y) {
  std::string svg;
  for (const double tick : y.ticks())
    svg += fmt::format(
        "<line x1='{0}' y1='{1:.1f}' x2='{2}' y2='{1:.1f}' class='grid'/>"
        "<text x='{3}' y='{4:.1f}' text-anchor='end'>{5}</text>\n",
        left, y.at(tick), width - right, left - 8, y.at(tick) + 4, tick_text(tick, 5));
  return svg;
}

double width_of(const std::string& text) { return letter_width * static_cast<double>(text.size()); }

/// Every tick, or every second, third, ... so that their texts do not touch.
std::vector<double> readable(const std::vector<double>& ticks, const Axis& x) {
  for (std::size_t step = 1;; ++step) {
    std::vector<double> kept;
    bool fits = true;
    for (std::size_t k = 0; k < ticks.size(); k += step) {
      if (!kept.empty())
        fits &= x.at(ticks[k]) - x.at(kept.back()) >=
                (width_of(tick_text(ticks[k])) + width_of(tick_text(kept.back()))) / 2 + 6;
      kept.push_back(ticks[k]);
    }
    if (fits) return kept;
  }
}

struct Labels {
  const std::string &title, &x, &y;
};

std::string frame(const Labels& labels) {
  std::string svg = fmt::format("<path d='M{0} {1}V{2}H{3}' fill='none' stroke='#333'/>\n", left,
                                top, height - bottom, width - right);
  svg += fmt::format("<text x='{}' y='24' class='title'>{}</text>\n", margin,
                     escaped_markup(labels.title));
  svg += fmt::format("<text x='{}' y='{}' text-anchor='middle'>{}</text>\n",
                     (left + width - right) / 2, height - 12, escaped_markup(labels.x));
  svg += fmt::format(
      "<text x='16' y='{0}' text-anchor='middle' transform='rotate(-90 16 {0})'>{1}</text>\n",
      (top + height - bottom) / 2, escaped_markup(labels.y));
  return svg;
}

/// What a legend says, below the picture: entries one after another, as many in a line as fit.
class Legend {
 public:
  void add(const std::string& name, const std::string& sign) {
    const double wide = 46 + width_of(name) + 10;
    if (x_ > margin && x_ + wide > width) {
      x_ = margin;
      y_ += legend_line;
    }
    svg_ +=
        fmt::format("<g transform='translate({:.1f} {:.1f})'>{}<text x='38' y='4'>{}</text></g>\n",
                    x_, y_, sign, escaped_markup(name));
    x_ += wide;
  }
  const std::string& svg() const { return svg_; }
  double bottom_edge() const { return y_ + 16; }

 private:
  double x_ = margin, y_ = height + 10;
  std::string svg_;
};

std::string document(const std::string& body, const Legend& legend) {
  return fmt::format(
             "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{2:.0f}' "
             "height='{3:.0f}'>\n"
             "<style>text{{font:14px sans-serif;fill:#222}}.title{{font-size:15px;font-weight:"
             "bold}}.grid{{stroke:#ddd}}</style>\n<rect width='{0}' height='{1}' fill='white'/>\n",
             width, legend.bottom_edge(), shown_larger * width,
             shown_larger * legend.bottom_edge()) +
         body + legend.svg() + "</svg>\n";
}

std::string marker(const Series& series, double x, double y, const char* color, bool hollow) {
  const char* fill = hollow ? "white" : color;
  if (series.only_points)  // what lies under it stays visible
    return fmt::format(
        "<rect x='{:.1f}' y='{:.1f}' width='9' height='9' fill='{}' fill-opacity='0.3' stroke='{}' "
        "stroke-width='1.5'>",
        x - 4.5, y - 4.5, fill, color);
  return fmt::format(
      "<circle cx='{:.1f}' cy='{:.1f}' r='3.2' fill='{}' stroke='{}' stroke-width='1.5'>", x, y,
      fill, color);
}
std::string end_of_marker(const Series& series) {
  return series.only_points ? "</rect>\n" : "</circle>\n";
}

std::string drawn(const Series& series, const Axis& x, const Axis& y, const char* color,
                  Legend& legend, bool& has_hollow) {
  const char* dash = series.dashed ? " stroke-dasharray='6 4'" : "";
  std::string path, markers;
  for (const auto& [px, py] : series.points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.at(px), y.at(py));
    const bool hollow = series.hollow.contains(px);
    has_hollow |= hollow;
    if (series.only_line) continue;
    markers += marker(series, x.at(px), y.at(py), color, hollow) +
               fmt::format("<title>{}: {:g}, {:g}{}</title>", escaped_markup(series.name), px, py,
                           hollow ? ", does not fit the memory" : "") +
               end_of_marker(series);
  }
  const std::string line = fmt::format(
      "<line x1='4' y1='0' x2='30' y2='0' stroke='{}' stroke-width='2'{}/>", color, dash);
  legend.add(series.name, series.only_points
                              ? marker(series, 17, 0, color, false) + end_of_marker(series)
                              : line);
  if (!series.only_points)
    markers = fmt::format("<path d='{}' fill='none' stroke='{}' stroke-width='2'{}/>\n", path,
                          color, dash) +
              markers;  // over their line
  return markers;
}

}  // namespace

std::string to_svg(const Chart& chart) {
  const Axis x(all(chart, true), chart.log_x, left, width - right);
  const Axis y(all(chart, false), chart.log_y, height - bottom, top);
  std::string svg;
  for (const double tick : readable(x.ticks(), x))
    svg += fmt::format(
        "<line x1='{0:.1f}' y1='{1}' x2='{0:.1f}' y2='{2}' class='grid'/>"
        "<text x='{0:.1f}' y='{3}' text-anchor='middle'>{4}</text>\n",
        x.at(tick), top, height - bottom, height - bottom + 18, tick_text(tick));
  svg += rows_of_grid(y) + frame({chart.title, chart.x_label, chart.y_label});
  Legend legend;
  bool has_hollow = false;
  for (std::size_t k = 0; k < chart.series.size(); ++k)
    svg += drawn(chart.series[k], x, y, palette[k % palette.size()], legend, has_hollow);
  if (has_hollow)
    legend.add("hollow: does not fit the memory",
               "<circle cx='17' cy='0' r='3.2' fill='white' stroke='#222' stroke-width='1.5'/>");
  return document(svg, legend);
}

namespace {

/// In two lines where one is too long.
std::string bar_label(const std::string& label, double x, double room) {
  const std::size_t space = width_of(label) > room ? label.rfind(' ') : std::string::npos;
  const auto line = [&](const std::string& text, double y) {
    return fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>{}</text>\n", x, y,
                       escaped_markup(text));
  };
  if (space == std::string::npos) return line(label, height - bottom + 18);
  return line(label.substr(0, space), height - bottom + 14) +
         line(label.substr(space + 1), height - bottom + 28);
}

}  // namespace

std::string to_svg(const BarChart& chart) {
  std::vector<double> heights;
  for (const BarChart::Bar& bar : chart.bars) {
    double sum = 0;
    for (const double value : bar.values) sum += value;
    heights.push_back(sum);
    if (bar.mark) heights.push_back(*bar.mark);
  }
  const Axis y(heights, false, height - bottom, top);
  std::string svg = rows_of_grid(y) + frame({chart.title, chart.x_label, chart.y_label});
  const double room = (width - right - left) / static_cast<double>(chart.bars.size());
  for (std::size_t k = 0; k < chart.bars.size(); ++k) {
    const BarChart::Bar& bar = chart.bars[k];
    const double at = left + room * (static_cast<double>(k) + 0.18);
    double below = 0;
    for (std::size_t part = 0; part < bar.values.size(); ++part) {
      const double above = below + bar.values[part];
      svg += fmt::format(
          "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}'>"
          "<title>{}, {}: {:.4g}</title></rect>\n",
          at, y.at(above), room * 0.64, y.at(below) - y.at(above), palette[part % palette.size()],
          escaped_markup(bar.label), escaped_markup(chart.parts[part]), bar.values[part]);
      below = above;
    }
    if (bar.mark)
      svg += fmt::format(
          "<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' stroke='#111' "
          "stroke-width='2.5'><title>{}: {:.4g}</title></line>\n",
          at - 5, y.at(*bar.mark), at + room * 0.64 + 5, y.at(*bar.mark),
          escaped_markup(chart.mark_name), *bar.mark);
    svg += bar_label(bar.label, at + room * 0.32, room);
  }
  Legend legend;
  for (std::size_t part = 0; part < chart.parts.size(); ++part)
    legend.add(chart.parts[part],
               fmt::format("<rect x='8' y='-7' width='20' height='13' fill='{}'/>",
                           palette[part % palette.size()]));
  if (!chart.mark_name.empty())
    legend.add(chart.mark_name,
               "<line x1='4' y1='0' x2='30' y2='0' stroke='#111' stroke-width='2.5'/>");
  return document(svg, legend);
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
  csv += ",does not fit\n";
  for (const auto& [x, row] : rows) {
    csv += fmt::format("{:.12g}", x);
    for (const auto& value : row) csv += value ? fmt::format(",{:.8g}", *value) : ",";
    std::vector<std::string> too_large;
    for (const Series& series : chart.series)
      if (series.hollow.contains(x)) too_large.push_back(series.name);
    csv += "," + quoted(fmt::format("{}", fmt::join(too_large, "; "))) + "\n";
  }
  return csv;
}

}  // namespace weft::tool
