// SPDX-License-Identifier: BSD-3-Clause
// The tables and figures of the four papers, computed anew and set beside what was published.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plot.hpp"

namespace weft::tool {

enum class Verdict {
  agrees,     ///< within the tolerance
  fitted,     ///< agrees, but parameters were fitted to this very number
  deviates,   ///< outside
  no_number,  ///< the paper gives none, or contradicts itself: see the remark
};

struct PaperRow {
  std::string id = {};    ///< "W4"
  std::string item = {};  ///< "Table 1, 512^3, f32"
  double published = 0, weft = 0;
  double tolerance = 0;  ///< relative, unless is_absolute
  bool is_fitted = false, is_absolute = false, has_published = true;
  std::string unit = {}, remark = {};

  Verdict verdict() const;
};

struct PaperReport {
  std::string name, title;
  std::vector<PaperRow> rows;
  std::vector<Chart> charts;
  std::vector<std::string> notes;

  bool good() const;  ///< no row deviates
};

struct PaperOptions {
  bool full = false;  ///< simulate the large sizes too
  std::function<void(const std::string&, double)> on_progress = {};
};

PaperReport wsfft_report(const PaperOptions& options);
PaperReport ape_report();
PaperReport spiral_report();
PaperReport heffte_report();

const char* name_of(Verdict verdict);
std::string to_text(const PaperReport& report);
/// One page that needs nothing else: the table, and the charts as SVG inside it.
std::string to_html(const PaperReport& report);

}  // namespace weft::tool
