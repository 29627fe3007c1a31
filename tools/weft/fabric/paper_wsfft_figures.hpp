// SPDX-License-Identifier: BSD-3-Clause
// The figures and tables of the wsFFT paper, drawn from weft's runs beside what the paper prints.
#pragma once

#include <functional>
#include <map>

#include "fabric/wafer/run.hpp"
#include "paper.hpp"

namespace weft::tool {

/// Table 1 of the paper: cycles.
struct WsfftCell {
  int n;
  double f16, f32;
};
inline constexpr WsfftCell wsfft_table_1[] = {{32, 10953, 13633},
                                              {64, 24000, 32176},
                                              {128, 56741, 82405},
                                              {256, 147247, 236329},
                                              {512, 471064, 815371}};

struct WsfftRuns {
  const fabric::WaferMachine &paper, &measured;
  const std::map<std::pair<int, Precision>, fabric::WaferTiming>& cycles;  ///< of Table 1
  std::function<fabric::WaferTiming(const fabric::WaferPlan&, const fabric::WaferMachine&,
                                    bool simulate)>
      time;
  bool full = false;

  double clock() const { return measured.clock_hz; }
};

/// Adds the items, and the rows that belong to them.
void add_wsfft_figures(PaperReport& report, const WsfftRuns& runs);

}  // namespace weft::tool
