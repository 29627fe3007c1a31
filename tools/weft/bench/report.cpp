// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "problem.hpp"
#include "streams.hpp"
#include "text.hpp"

namespace weft::tool {
namespace {

double gflops(const Result& result, double seconds) { return result.row.flops() / seconds / 1e9; }

/// A named set of rows; a row may be in several.
struct Group {
  const char* name;
  std::function<bool(const Row&)> holds;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {"one per call", [](const Row& row) { return row.group == "single"; }},
      {"each length", [](const Row& row) { return row.group == "lengths"; }},
      {"in-cache 1-D", [](const Row& row) { return row.group == "in-cache"; }},
      {"primes 1009, 65537", [](const Row& row) { return row.group == "primes"; }},
      {"3125", [](const Row& row) { return row.shape == std::vector<Index>{3125}; }},
      {"columns", [](const Row& row) { return row.group == "columns"; }},
      {"1-D beyond L2", [](const Row& row) { return row.group == "large"; }},
      {"odd", [](const Row& row) { return row.group == "odd"; }},
      {"real", [](const Row& row) { return row.group == "real"; }},
      {"cosine", [](const Row& row) { return row.group == "dct"; }},
      {"unseen", [](const Row& row) { return row.group == "unseen"; }},
      {"2-D", [](const Row& row) { return row.group == "2d"; }},
      {"3-D", [](const Row& row) { return row.group == "3d"; }},
      {"3-D from 256^3", [](const Row& row) { return row.group == "3d" && row.shape[0] >= 256; }},
      {"all rows", [](const Row&) { return true; }},
  };
  return all;
}

std::vector<RatedRow> rated(const std::vector<Result>& results) {
  std::vector<RatedRow> rows;
  for (const Result& result : results) rows.push_back({result.row, result.times.ratio});
  return rows;
}
std::vector<RatedRow> rated_by_mkl(const std::vector<Result>& results) {
  std::vector<RatedRow> rows;
  for (const Result& result : results)
    if (result.mkl) rows.push_back({result.row, result.mkl->ratio});
  return rows;
}

void print_groups(const std::vector<RatedRow>& rows, const char* peer) {
  int threads = 0;
  for (const GroupMean& group : group_means(rows)) {
    if (group.threads != threads)
      fmt::print("\n{} time / weft time, {} thread{}: geometric mean, lowest, rows\n", peer,
                 group.threads, group.threads == 1 ? "" : "s");
    threads = group.threads;
    fmt::print("  {:<20} {:>6.2f} {:>6.2f} {:>5}\n", group.group, group.mean, group.lowest,
               group.rows);
  }
}

void print_accuracy_summary(const std::vector<Result>& results) {
  double worst = 0, worst_round_trip = 0;
  for (const Result& result : results)
    if (result.accuracy) {
      worst = std::max(worst, result.accuracy->weft / result.accuracy->fftw);
      worst_round_trip = std::max(
          worst_round_trip, result.accuracy->weft_round_trip / result.accuracy->fftw_round_trip);
    }
  if (worst > 0)
    fmt::print("\nLargest ratio of weft's error to FFTW's: forward {:.2f}, round trip {:.2f}\n",
               worst, worst_round_trip);
}

void print_planning_summary(const std::vector<Result>& results) {
  double first = 0, again = 0;
  for (const Result& result : results)
    if (result.planning) {
      first = std::max(first, result.planning->first_s);
      again = std::max(again, result.planning->again_s);
    }
  if (first > 0)
    fmt::print("\nLongest planning time with effort estimate: {} the first time, {} again\n",
               seconds_text(first), seconds_text(again));
}

}  // namespace

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

std::vector<GroupMean> group_means(const std::vector<RatedRow>& rows) {
  std::set<int> thread_counts;
  for (const RatedRow& rated : rows) thread_counts.insert(rated.row.threads);
  std::vector<GroupMean> means;
  for (const int threads : thread_counts)
    for (const Group& group : groups()) {
      std::vector<double> ratios;
      for (const auto& [row, ratio] : rows)
        if (row.threads == threads && group.holds(row)) ratios.push_back(ratio);
      if (ratios.empty()) continue;
      const auto [lowest, highest] = std::ranges::minmax(ratios);
      means.push_back(
          {group.name, threads, geometric_mean(ratios), lowest, highest, ratios.size()});
    }
  return means;
}

std::string row_heading() {
  return fmt::format("{:<16} {:<4} {:<4} {:<3} {:>2}", "size", "kind", "prec", "in", "t");
}
std::string row_text(const Row& row) {
  return fmt::format("{:<16} {:<4} {:<4} {:<3} {:>2}", row.name(), to_string(row.kind),
                     to_string(row.precision), row.place == Place::in ? "in" : "out", row.threads);
}
nlohmann::json as_json(const Row& row) {
  return {{"group", row.group},          {"name", row.name()},
          {"shape", row.shape},          {"batch", row.batch},
          {"kind", to_string(row.kind)}, {"precision", to_string(row.precision)},
          {"threads", row.threads},      {"place", row.place == Place::in ? "in" : "out"}};
}

void print_heading(const Result& shape_of_line) {
  fmt::print("{} | {:>9} {:>7} | {:>9} {:>7} | {:>5}", row_heading(), "weft", "GF/s", "FFTW",
             "GF/s", "ratio");
  fmt::print(" | {:>6}", "/limit");
  if (shape_of_line.mkl) fmt::print(" | {:>9} {:>5}", "MKL", "ratio");
  if (shape_of_line.accuracy) fmt::print(" | {:>8} {:>5} {:>5}", "error", "/FFTW", "trip");
  if (shape_of_line.planning) fmt::print(" | {:>8} {:>8}", "planning", "again");
  fmt::print("\n");
}

void print_line(const Result& result) {
  const Times& times = result.times;
  fmt::print("{} | {:>9} {:>7.2f} | {:>9} {:>7.2f} | {:>5.2f}", row_text(result.row),
             seconds_text(times.first_s), gflops(result, times.first_s),
             seconds_text(times.second_s), gflops(result, times.second_s), times.ratio);
  fmt::print(" | {:>6.2f}", times.first_s / result.limit_s);
  if (const auto& mkl = result.mkl)
    fmt::print(" | {:>9} {:>5.2f}", seconds_text(mkl->mkl_s), mkl->ratio);
  if (const auto& accuracy = result.accuracy)
    fmt::print(" | {:>8.2e} {:>5.2f} {:>5.2f}", accuracy->weft, accuracy->weft / accuracy->fftw,
               accuracy->weft_round_trip / accuracy->fftw_round_trip);
  if (const auto& planning = result.planning)
    fmt::print(" | {:>8} {:>8}", seconds_text(planning->first_s), seconds_text(planning->again_s));
  fmt::print("\n");
  flush_standard_output();
}

void print_summary(const std::vector<Result>& results) {
  if (results.empty()) return;
  print_groups(rated(results), "FFTW");
  print_groups(rated_by_mkl(results), "MKL");
  std::vector<const Result*> worst;
  for (const Result& result : results) worst.push_back(&result);
  std::ranges::sort(worst, {}, [](const Result* result) { return result->times.ratio; });
  worst.resize(std::min<std::size_t>(worst.size(), 8));
  fmt::print("\nRows with the lowest ratio\n");
  for (const Result* result : worst)
    fmt::print("  {:>5.2f}  {:<36} {}\n", result->times.ratio, result->row.label(), result->recipe);
  print_accuracy_summary(results);
  print_planning_summary(results);
}

nlohmann::json as_json(const std::vector<Result>& results) {
  nlohmann::json rows = nlohmann::json::array(), means = nlohmann::json::array();
  for (const Result& result : results) {
    const Times& times = result.times;
    nlohmann::json entry = as_json(result.row);
    entry.update({{"weft_s", times.first_s},
                  {"fftw_s", times.second_s},
                  {"weft_gflops", gflops(result, times.first_s)},
                  {"fftw_gflops", gflops(result, times.second_s)},
                  {"ratio", times.ratio},
                  {"rounds", times.rounds},
                  {"difference", result.difference},
                  {"weft_planning_s", result.weft_planning_s},
                  {"fftw_planning_s", result.fftw_planning_s},
                  {"limit_s", result.limit_s},
                  {"recipe", result.recipe}});
    if (const auto& accuracy = result.accuracy)
      entry["error"] = {{"weft", accuracy->weft},
                        {"fftw", accuracy->fftw},
                        {"weft_round_trip", accuracy->weft_round_trip},
                        {"fftw_round_trip", accuracy->fftw_round_trip}};
    if (const auto& planning = result.planning)
      entry["estimate_s"] = {{"first", planning->first_s}, {"again", planning->again_s}};
    if (const auto& mkl = result.mkl)
      entry["mkl"] = {
          {"mkl_s", mkl->mkl_s}, {"ratio", mkl->ratio}, {"difference", mkl->difference}};
    rows.push_back(entry);
  }
  for (const GroupMean& group : group_means(rated(results)))
    means.push_back({{"group", group.group},
                     {"threads", group.threads},
                     {"geometric_mean", group.mean},
                     {"lowest", group.lowest},
                     {"rows", group.rows}});
  return {{"rows", rows}, {"geometric_means", means}};
}

}  // namespace weft::tool
