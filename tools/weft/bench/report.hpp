// SPDX-License-Identifier: BSD-3-Clause
// What the benchmark says: a line per row, geometric means per group, the worst rows, JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "bench/accuracy.hpp"
#include "bench/pair.hpp"

namespace weft::tool {

struct PlanningTimes {
  double without_wisdom_s = 0, with_wisdom_s = 0;
};

struct Result {
  Row row;
  Times times;
  double difference = 0;  ///< relative L2 between the two libraries
  double weft_planning_s = 0, fftw_planning_s = 0;
  std::string recipe;
  std::optional<Accuracy> accuracy;
  std::optional<PlanningTimes> planning;
};

void print_heading(const Result& shape_of_line);
void print_line(const Result& result);
/// Geometric means of the ratios, overall and per group and thread count, then the worst rows.
void print_summary(const std::vector<Result>& results);
nlohmann::json as_json(const std::vector<Result>& results);

double geometric_mean(const std::vector<double>& values);

}  // namespace weft::tool
