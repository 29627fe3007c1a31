// SPDX-License-Identifier: BSD-3-Clause
#include "bench/efforts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/report.hpp"
#include "streams.hpp"
#include "text.hpp"

namespace weft::tool {

EffortResult compare_efforts(const Row& row, PlanOptions timed, TimingOptions timing) {
  RowArrays arrays(row, Direction::forward);
  timed.use_wisdom = false;
  WeftRun by_estimate(arrays, {.use_wisdom = false}), by_timing(arrays, timed);
  EffortResult result{.row = row,
                      .times = {},
                      .limit_s = 0,
                      .timed_recipe = by_timing.plan().recipe(),
                      .estimate_recipe = by_estimate.plan().recipe(),
                      .timed_planning_s = by_timing.planning_s(),
                      .estimate_planning_s = by_estimate.planning_s()};
  const bool is_same = result.timed_recipe == result.estimate_recipe;
  if (is_same) timing.rounds = (timing.rounds + 1) / 2;  // both sides time the one plan
  arrays.fill_for_timing();
  result.times =
      time_in_turns(by_timing.call(), (is_same ? by_timing : by_estimate).call(), timing);
  if (is_same) result.times.ratio = 1;
  return result;
}

void print_effort_heading(const std::string& effort) {
  fmt::print("{} | {:>9} | {:>9} | {:>5} | {:>6}\n", row_heading(), "estimate", effort, "ratio",
             "/limit");
}

void print_line(const EffortResult& result) {
  fmt::print("{} | {:>9} | {:>9} | {:>5.2f} | {:>6.2f}{}\n", row_text(result.row),
             seconds_text(result.times.second_s), seconds_text(result.times.first_s),
             result.times.ratio, result.times.second_s / result.limit_s,
             result.timed_recipe == result.estimate_recipe ? " same recipe" : "");
  flush_standard_output();
}

namespace {

std::vector<GroupMean> means_of(const std::vector<EffortResult>& results) {
  std::vector<RatedRow> rows;
  for (const EffortResult& result : results) rows.push_back({result.row, result.times.ratio});
  return group_means(rows);
}

void print_recipes(const EffortResult& result, const std::string& effort) {
  fmt::print("  {:>5.2f}  {}\n", result.times.ratio, result.row.label());
  fmt::print("         {:<9} {}\n", "estimate", result.estimate_recipe);
  fmt::print("         {:<9} {}\n", effort, result.timed_recipe);
}

}  // namespace

void print_summary(const std::vector<EffortResult>& results, const std::string& effort) {
  if (results.empty()) return;
  int threads = 0;
  for (const GroupMean& group : means_of(results)) {
    if (group.threads != threads)
      fmt::print("\nestimate time / {} time, {} thread{}: geometric mean, highest, rows\n", effort,
                 group.threads, group.threads == 1 ? "" : "s");
    threads = group.threads;
    fmt::print("  {:<20} {:>6.2f} {:>6.2f} {:>5}\n", group.group, group.mean, group.highest,
               group.rows);
  }
  std::vector<const EffortResult*> worst;
  for (const EffortResult& result : results) worst.push_back(&result);
  std::ranges::sort(worst, std::greater<>(),
                    [](const auto* result) { return result->times.ratio; });
  fmt::print("\nHighest row: {:.2f}, {}\n", worst.front()->times.ratio, worst.front()->row.label());
  std::erase_if(worst, [](const auto* r) { return r->times.ratio <= notable_effort_ratio; });
  fmt::print("Rows above {}: {}\n", notable_effort_ratio, worst.size());
  for (const EffortResult* result : worst) print_recipes(*result, effort);
}

nlohmann::json as_json(const std::vector<EffortResult>& results) {
  nlohmann::json rows = nlohmann::json::array(), means = nlohmann::json::array();
  for (const EffortResult& result : results) {
    nlohmann::json entry = as_json(result.row);
    entry.update({{"estimate_s", result.times.second_s},
                  {"timed_s", result.times.first_s},
                  {"ratio", result.times.ratio},
                  {"rounds", result.times.rounds},
                  {"limit_s", result.limit_s},
                  {"estimate_planning_s", result.estimate_planning_s},
                  {"timed_planning_s", result.timed_planning_s},
                  {"estimate_recipe", result.estimate_recipe},
                  {"timed_recipe", result.timed_recipe}});
    rows.push_back(entry);
  }
  for (const GroupMean& group : means_of(results))
    means.push_back({{"group", group.group},
                     {"threads", group.threads},
                     {"geometric_mean", group.mean},
                     {"highest", group.highest},
                     {"rows", group.rows}});
  return {{"rows", rows}, {"geometric_means", means}};
}

}  // namespace weft::tool
