// SPDX-License-Identifier: BSD-3-Clause
// What `weft run-with` prints: with the environment variable WEFT_DROPIN_REPORT, the name of a
// file, every drop-in library appends a line per problem to that file when the program ends.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace weft::dropins {

/// The equal transforms of a program. Where weft did not do them, there is no recipe.
struct ReportLine {
  std::string called;  ///< whose interface: "FFTW", "cuFFT"
  std::string precision, problem, recipe;
  std::string instead;  ///< without a recipe: who did it, and why; empty: nobody
  long long plans = 0, calls = 0;
  long long untimed_calls = 0;  ///< of these calls
  double seconds = 0;           ///< of the others
};

/// Null where no report is wanted.
inline const char* report_file() noexcept {
  static const char* const name = std::getenv("WEFT_DROPIN_REPORT");
  return name != nullptr && *name != '\0' ? name : nullptr;
}

/// Processes append at once: all lines in one write.
inline void append_to_report(const std::vector<ReportLine>& lines) {
  std::string text;
  const auto field = [&](std::string value) {
    for (char& c : value)
      if (c == '\t' || c == '\n') c = ' ';
    text += value + "\t";
  };
  for (const ReportLine& line : lines) {
    for (const std::string& value :
         {line.called, line.precision, line.problem, line.recipe, line.instead})
      field(value);
    for (const long long count : {line.plans, line.calls, line.untimed_calls})
      field(std::to_string(count));
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.9f\n", line.seconds);
    text += seconds;
  }
  std::ofstream(report_file(), std::ios::app) << text << std::flush;
}

}  // namespace weft::dropins
