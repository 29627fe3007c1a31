// SPDX-License-Identifier: BSD-3-Clause
// The tables and figures of the four papers, computed anew and set beside what the papers print.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "paper_on_ranks.hpp"
#include "paper_quotes.hpp"
#include "plot.hpp"

namespace weft::tool {

/// Where the number comes from that weft's is compared with.
enum class Basis {
  printed,    ///< it stands in the paper: see the quote
  evaluated,  ///< a formula of the paper (see the quote) with numbers put in
  derived,    ///< weft's own formula, count or limit: not in the paper
  none,       ///< nothing to compare with
};

enum class Verdict {
  agrees,     ///< within the tolerance of what the paper prints or its formula gives
  fitted,     ///< the same, but parameters were fitted to this number
  derived,    ///< within the tolerance of what weft derived itself
  explained,  ///< outside, and the remark says why
  deviates,   ///< outside
  reported,   ///< nothing to compare with
};

struct PaperRow {
  std::string id = {};    ///< "W4"
  std::string item = {};  ///< "512^3, f32"
  Basis basis = Basis::none;
  double expected = 0, weft = 0;
  double tolerance = 0;  ///< relative, unless is_absolute
  bool is_fitted = false, is_absolute = false;
  bool is_limit = false;      ///< weft's number must not exceed `expected`
  bool is_explained = false;  ///< it is known to differ: the remark says why
  const Quote* quote = {};    ///< of printed and evaluated numbers
  std::string unit = {}, remark = {};

  Verdict verdict() const;
  /// "Table 1", "from Eq. (4)", "weft's own", or nothing.
  std::string source() const;
};

struct TextTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

/// A figure, table or equation of the paper, and what weft has beside it: pictures, a table, or one
/// line that says why there can be none.
struct PaperItem {
  std::string name = {};                   ///< "Figure 4"
  std::string subject = {};                ///< what the paper shows there
  std::string answer = {};                 ///< what is shown here, or why nothing can be
  std::vector<std::string> pictures = {};  ///< SVG documents
  std::optional<TextTable> table = {};

  bool is_shown() const { return !pictures.empty() || table.has_value(); }
};

struct PaperReport {
  std::string name, title;
  std::vector<PaperRow> rows;
  std::vector<PaperItem> items;  ///< in the order of the paper
  std::vector<std::string> notes;

  bool good() const;  ///< no row deviates
};

struct PaperOptions {
  bool full = false;                       ///< simulate the large sizes too
  Index flow_length = 16, flow_ranks = 1;  ///< of Figure 3 of the Spiral paper
  /// With --measure: what was timed over ranks; the reports then time the rest in this process.
  std::optional<MeasuredOnRanks> measured = {};
  std::function<void(const std::string&, double)> on_progress = {};
};

PaperReport wsfft_report(const PaperOptions& options);
PaperReport ape_report();
PaperReport spiral_report(const PaperOptions& options);
PaperReport heffte_report(const PaperOptions& options);
/// Tflop/s of heFFTe's scheme for edge^3 on Summit's GPUs, by the model of its report.
double heffte_model_tflops(double edge, double nodes);

const char* to_string(Verdict verdict);
const char* to_string(Basis basis);
std::string to_text(const PaperReport& report);
/// One page that needs nothing else: the table, and the charts as SVG inside it.
std::string to_html(const PaperReport& report);

}  // namespace weft::tool
