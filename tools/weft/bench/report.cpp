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
      {"in-cache 1-D", [](const Row& row) { return row.group == "in-cache"; }},
      {"primes 1009, 65537", [](const Row& row) { return row.group == "primes"; }},
      {"3125", [](const Row& row) { return row.shape == std::vector<Index>{3125}; }},
      {"columns", [](const Row& row) { return row.group == "columns"; }},
      {"1-D beyond L2", [](const Row& row) { return row.group == "large"; }},
      {"2-D", [](const Row& row) { return row.group == "2d"; }},
      {"3-D", [](const Row& row) { return row.group == "3d"; }},
      {"3-D from 256^3", [](const Row& row) { return row.group == "3d" && row.shape[0] >= 256; }},
      {"all rows", [](const Row&) { return true; }},
  };
  return all;
}

std::vector<double> ratios_of(const std::vector<Result>& results,
                              const std::function<bool(const Row&)>& holds) {
  std::vector<double> ratios;
  for (const Result& result : results)
    if (holds(result.row)) ratios.push_back(result.times.ratio);
  return ratios;
}

std::set<int> thread_counts(const std::vector<Result>& results) {
  std::set<int> counts;
  for (const Result& result : results) counts.insert(result.row.threads);
  return counts;
}

void print_groups(const std::vector<Result>& results, int threads) {
  fmt::print("\nFFTW time / weft time, {} thread{}: geometric mean, lowest, rows\n", threads,
             threads == 1 ? "" : "s");
  for (const Group& group : groups()) {
    const auto ratios = ratios_of(
        results, [&](const Row& row) { return row.threads == threads && group.holds(row); });
    if (ratios.empty()) continue;
    fmt::print("  {:<20} {:>6.2f} {:>6.2f} {:>5}\n", group.name, geometric_mean(ratios),
               *std::ranges::min_element(ratios), ratios.size());
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
    fmt::print("\nLargest error of weft / error of FFTW: forward {:.2f}, round trip {:.2f}\n",
               worst, worst_round_trip);
}

void print_planning_summary(const std::vector<Result>& results) {
  double without = 0, with = 0;
  for (const Result& result : results)
    if (result.planning) {
      without = std::max(without, result.planning->without_wisdom_s);
      with = std::max(with, result.planning->with_wisdom_s);
    }
  if (without > 0)
    fmt::print("\nLongest planning by estimate: {} without wisdom, {} with\n",
               seconds_text(without), seconds_text(with));
}

}  // namespace

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

void print_heading(const Result& shape_of_line) {
  fmt::print("{:<16} {:<4} {:<4} {:<3} {:>2} | {:>9} {:>7} | {:>9} {:>7} | {:>5}", "size", "kind",
             "prec", "in", "t", "weft", "GF/s", "FFTW", "GF/s", "ratio");
  if (shape_of_line.accuracy) fmt::print(" | {:>8} {:>5} {:>5}", "error", "/FFTW", "trip");
  if (shape_of_line.planning) fmt::print(" | {:>8} {:>8}", "estimate", "wisdom");
  fmt::print("\n");
}

void print_line(const Result& result) {
  const Row& row = result.row;
  fmt::print("{:<16} {:<4} {:<4} {:<3} {:>2} | {:>9} {:>7.2f} | {:>9} {:>7.2f} | {:>5.2f}",
             row.name(), name_of(row.kind), name_of(row.precision),
             row.place == Place::in ? "in" : "out", row.threads, seconds_text(result.times.weft_s),
             gflops(result, result.times.weft_s), seconds_text(result.times.fftw_s),
             gflops(result, result.times.fftw_s), result.times.ratio);
  if (const auto& accuracy = result.accuracy)
    fmt::print(" | {:>8.2e} {:>5.2f} {:>5.2f}", accuracy->weft, accuracy->weft / accuracy->fftw,
               accuracy->weft_round_trip / accuracy->fftw_round_trip);
  if (const auto& planning = result.planning)
    fmt::print(" | {:>8} {:>8}", seconds_text(planning->without_wisdom_s),
               seconds_text(planning->with_wisdom_s));
  fmt::print("\n");
  std::fflush(stdout);
}

void print_summary(const std::vector<Result>& results) {
  if (results.empty()) return;
  for (const int threads : thread_counts(results)) print_groups(results, threads);
  std::vector<const Result*> worst;
  for (const Result& result : results) worst.push_back(&result);
  std::ranges::sort(worst, {}, [](const Result* result) { return result->times.ratio; });
  worst.resize(std::min<std::size_t>(worst.size(), 8));
  fmt::print("\nLowest rows\n");
  for (const Result* result : worst)
    fmt::print("  {:>5.2f}  {:<36} {}\n", result->times.ratio, result->row.label(), result->recipe);
  print_accuracy_summary(results);
  print_planning_summary(results);
}

nlohmann::json as_json(const std::vector<Result>& results) {
  nlohmann::json rows = nlohmann::json::array(), means = nlohmann::json::array();
  for (const Result& result : results) {
    const Row& row = result.row;
    nlohmann::json entry = {{"group", row.group},
                            {"name", row.name()},
                            {"shape", row.shape},
                            {"batch", row.batch},
                            {"kind", name_of(row.kind)},
                            {"precision", name_of(row.precision)},
                            {"threads", row.threads},
                            {"place", row.place == Place::in ? "in" : "out"},
                            {"weft_s", result.times.weft_s},
                            {"fftw_s", result.times.fftw_s},
                            {"weft_gflops", gflops(result, result.times.weft_s)},
                            {"fftw_gflops", gflops(result, result.times.fftw_s)},
                            {"ratio", result.times.ratio},
                            {"rounds", result.times.rounds},
                            {"difference", result.difference},
                            {"weft_planning_s", result.weft_planning_s},
                            {"fftw_planning_s", result.fftw_planning_s},
                            {"recipe", result.recipe}};
    if (const auto& accuracy = result.accuracy)
      entry["error"] = {{"weft", accuracy->weft},
                        {"fftw", accuracy->fftw},
                        {"weft_round_trip", accuracy->weft_round_trip},
                        {"fftw_round_trip", accuracy->fftw_round_trip}};
    if (const auto& planning = result.planning)
      entry["estimate_s"] = {{"without_wisdom", planning->without_wisdom_s},
                             {"with_wisdom", planning->with_wisdom_s}};
    rows.push_back(entry);
  }
  for (const int threads : thread_counts(results))
    for (const Group& group : groups()) {
      const auto ratios = ratios_of(
          results, [&](const Row& row) { return row.threads == threads && group.holds(row); });
      if (!ratios.empty())
        means.push_back({{"group", group.name},
                         {"threads", threads},
                         {"geometric_mean", geometric_mean(ratios)},
                         {"lowest", *std::ranges::min_element(ratios)},
                         {"rows", ratios.size()}});
    }
  return {{"rows", rows}, {"geometric_means", means}};
}

}  // namespace weft::tool
