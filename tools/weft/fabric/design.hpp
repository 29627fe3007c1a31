// SPDX-License-Identifier: BSD-3-Clause
// weft design: families of machines, given as a machine file with ranges for some of its keys, and
// a workload; every machine of the families is predicted, and those that no other beats in both
// time and cost make the front.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "plot.hpp"

namespace weft::tool {

struct DesignPoint {
  std::string family = {}, scheme = {}, limit = {};
  std::vector<std::pair<std::string, std::string>> choices = {};  ///< key and value, as text
  double seconds = 0, cost = 0, tflops = 0, bound_s = 0;
  bool fits = true;      ///< the memory
  bool is_best = false;  ///< on the front
};

struct Design {
  std::string size, precision;
  std::vector<DesignPoint> points;
  std::size_t impossible = 0;  ///< machines that cannot carry out the workload
  std::string reason;          ///< of one of them
};

/// From the text of a design file (docs/fabric.md describes it); `origin` stands for the file in
/// messages. Throws weft::Error.
Design explore(const std::string& text, const std::string& origin);

/// The front, cheapest first.
std::vector<DesignPoint> front_of(const Design& design);

std::string to_text(const Design& design);
Chart chart_of(const Design& design);
nlohmann::json to_json(const Design& design);
/// One page that needs nothing else, with every machine of the design.
std::string to_html(const Design& design);

}  // namespace weft::tool
