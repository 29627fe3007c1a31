// SPDX-License-Identifier: BSD-3-Clause
// Line charts as SVG: a few series over one axis, linear or logarithmic.
#pragma once

#include <string>
#include <vector>

namespace weft::tool {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;
  bool dashed = false;  ///< estimates and published values beside simulated ones
};

struct Chart {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Series> series;
};

/// A complete SVG document, 720 x 440.
std::string to_svg(const Chart& chart);
/// One line per x, one column per series; empty where a series has no such point.
std::string to_csv(const Chart& chart);

}  // namespace weft::tool
