// SPDX-License-Identifier: BSD-3-Clause
// The output of the benchmark: a line per row, geometric means per group, the worst rows, JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "bench/accuracy.hpp"
#include "bench/pair.hpp"

namespace weft::tool {

/// By estimate: the first plan of a problem, and a later one.
struct PlanningTimes {
  double first_s = 0, again_s = 0;
};
/// Against MKL, where it was asked for.
struct MklResult {
  double mkl_s = 0;
  double ratio = 0;  ///< MKL's time divided by weft's
  double difference = 0;
};

struct Result {
  Row row;
  Times times;
  double difference = 0;  ///< relative L2 between the two libraries
  double weft_planning_s = 0, fftw_planning_s = 0;
  std::string recipe;
  double limit_s = 0;  ///< what memory and arithmetic allow, see Limits
  std::optional<Accuracy> accuracy;
  std::optional<PlanningTimes> planning;
  std::optional<MklResult> mkl = {};
};

/// What a comparison found for a row.
struct RatedRow {
  Row row;
  double ratio = 0;
};
struct GroupMean {
  std::string group;
  int threads = 1;
  double mean = 0, lowest = 0, highest = 0;  ///< of the ratios; the mean is geometric
  std::size_t rows = 0;
};
/// Of all groups that have rows, by thread count.
std::vector<GroupMean> group_means(const std::vector<RatedRow>& rows);

/// "size kind prec in t", and that of a row.
std::string row_heading();
std::string row_text(const Row& row);
nlohmann::json as_json(const Row& row);

void print_heading(const Result& shape_of_line);
void print_line(const Result& result);
/// Geometric means of the ratios, overall and per group and thread count, then the worst rows.
void print_summary(const std::vector<Result>& results);
nlohmann::json as_json(const std::vector<Result>& results);

double geometric_mean(const std::vector<double>& values);

}  // namespace weft::tool
