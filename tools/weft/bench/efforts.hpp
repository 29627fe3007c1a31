// SPDX-License-Identifier: BSD-3-Clause
// The plan that the cost model chooses beside the one that timing chooses, on the same memory.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/pair.hpp"

namespace weft::tool {

/// Rows above it are printed with both recipes.
constexpr double notable_effort_ratio = 1.2;

struct EffortResult {
  Row row;
  Times times;         ///< the timed choice first, the estimate second
  double limit_s = 0;  ///< what memory and arithmetic allow, see Limits
  std::string timed_recipe, estimate_recipe;
  double timed_planning_s = 0, estimate_planning_s = 0;
};

/// Plans the row by estimate and by the effort of `timed`, both without wisdom, and runs the plans
/// in turns. Equal recipes are one plan: their ratio is 1.
EffortResult compare_efforts(const Row& row, PlanOptions timed, TimingOptions timing);

/// `effort` is what the estimate is compared with.
void print_effort_heading(const std::string& effort);
void print_line(const EffortResult& result);
/// Geometric means and highest ratios per group and thread count, then the rows above
/// notable_effort_ratio, or the worst row where there is none.
void print_summary(const std::vector<EffortResult>& results, const std::string& effort);
nlohmann::json as_json(const std::vector<EffortResult>& results);

}  // namespace weft::tool
