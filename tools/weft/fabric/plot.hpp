// SPDX-License-Identifier: BSD-3-Clause
// Line charts and stacked bars as SVG. Legends stand below the picture, so that they cover nothing.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace weft::tool {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;
  bool dashed = false;           ///< estimates and published values beside simulated ones
  std::set<double> hollow = {};  ///< x of points that are out of reach: the memory is too small
  bool only_points = false;      ///< no line between them
  bool only_line = false;        ///< no marks at the points
};

struct Chart {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Series> series;
};

/// Bars of parts on top of each other, with a mark at a height that something else gives.
struct BarChart {
  std::string title, x_label, y_label;
  std::vector<std::string> parts;
  struct Bar {
    std::string label;
    std::vector<double> values;  ///< one per part, from below
    std::optional<double> mark = {};
  };
  std::vector<Bar> bars;
  std::string mark_name;
};

/// A complete SVG document, 480 wide, shown at 648 where there is room.
std::string to_svg(const Chart& chart);
std::string to_svg(const BarChart& chart);
/// One line per x, one column per series; empty where a series has no such point. The last column
/// names the series whose point does not fit the memory.
std::string to_csv(const Chart& chart);

}  // namespace weft::tool
