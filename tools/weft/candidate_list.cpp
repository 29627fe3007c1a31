// SPDX-License-Identifier: BSD-3-Clause
#include "candidate_list.hpp"

#include <fmt/format.h>

#include "text.hpp"

namespace weft::tool {
namespace {

template <class Recipe>
nlohmann::json as_json(const std::vector<local::Rated<Recipe>>& candidates) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& rated : candidates)
    list.push_back({{"recipe", to_text(rated.recipe)},
                    {"predicted_s", rated.predicted_s},
                    {"measured_s", rated.measured_s}});
  return list;
}

nlohmann::json as_json(const local::AxisComparison& comparison) {
  const local::AxisProblem& problem = comparison.task.problem;
  nlohmann::json loops = nlohmann::json::array();
  for (const local::Loop& loop : problem.loops) loops.push_back({loop.count, loop.in, loop.out});
  return {{"axis", comparison.task.axis.dimension},
          {"n", problem.n},
          {"kind", to_string(problem.kind)},
          {"in_place", comparison.task.from == comparison.task.to},
          {"in_row", problem.in_row},
          {"out_row", problem.out_row},
          {"loops", loops},
          {"candidates", as_json(comparison.candidates)}};
}

template <class Recipe>
void print(const std::vector<local::Rated<Recipe>>& candidates) {
  fmt::print("  {:>9}  {:>9}  recipe\n", "predicted", "measured");
  for (const auto& rated : candidates)
    fmt::print("  {:>9}  {:>9}  {}\n", seconds_text(rated.predicted_s),
               seconds_text(rated.measured_s), to_text(rated.recipe));
}

void print_axis(const local::AxisComparison& comparison) {
  const local::AxisProblem& problem = comparison.task.problem;
  Index transforms = 1;
  for (const local::Loop& loop : problem.loops) transforms *= loop.count;
  fmt::print("axis {}: {} {} of {} points at stride {}\n", comparison.task.axis.dimension,
             transforms, transforms == 1 ? "transform" : "transforms", problem.n, problem.in_row);
  print(comparison.candidates);
}

}  // namespace

void print_candidates(const local::Comparison& comparison) {
  for (const local::AxisComparison& axis : comparison.axes) print_axis(axis);
  fmt::print("whole array\n");
  print(comparison.cuts);
}

nlohmann::json candidates_json(const local::Comparison& comparison) {
  nlohmann::json axes = nlohmann::json::array();
  for (const local::AxisComparison& axis : comparison.axes) axes.push_back(as_json(axis));
  return {{"axes", axes}, {"cuts", as_json(comparison.cuts)}};
}

}  // namespace weft::tool
