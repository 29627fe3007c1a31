// SPDX-License-Identifier: BSD-3-Clause
#include "local/array_recipe.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "local/cost_model.hpp"
#include "weft/error.hpp"

namespace weft::local {

std::string to_text(const ArrayRecipe& recipe) {
  std::string text = "tile " + std::to_string(static_cast<Index>(recipe.tile_bytes)) + ":";
  for (std::size_t i = 0; i < recipe.axes.size(); ++i)
    text += (i == 0 ? " " : "; ") + to_text(recipe.axes[i]);
  return text;
}

ArrayRecipe parse_array_recipe(std::string_view text) {
  const auto fail = [&] {
    throw Error(ErrorCode::wisdom, "a recipe reads '" + std::string(text.substr(0, 60)) +
                                       "', which is not in weft's grammar; delete the wisdom file");
  };
  if (!text.starts_with("tile ")) fail();
  text.remove_prefix(5);
  Index tile = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), tile);
  if (error != std::errc() || tile < 0) fail();
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.starts_with(":")) fail();
  text.remove_prefix(1);
  ArrayRecipe recipe{static_cast<double>(tile), {}};
  while (text.starts_with(" ")) {
    text.remove_prefix(1);
    recipe.axes.push_back(parse_axis_recipe(text));
    if (text.starts_with(";")) text.remove_prefix(1);
  }
  if (!text.empty()) fail();
  return recipe;
}

namespace {

bool is_buildable(const AxisRecipe& recipe, Precision precision) {
  const auto isas = codelet::available_isas();
  if (std::find(isas.begin(), isas.end(), recipe.isa) == isas.end()) return false;
  const auto radices_exist = [&](const auto& self, const LaneRecipe& lane) -> bool {
    for (int r : lane.radices)
      if (codelet::find_kernel({.isa = recipe.isa, .precision = precision, .radix = r}) == nullptr)
        return false;
    return std::all_of(lane.inner.begin(), lane.inner.end(),
                       [&](const LaneRecipe& inner) { return self(self, inner); });
  };
  for (const LaneRecipe& lane : recipe.lane)
    if (!radices_exist(radices_exist, lane)) return false;
  const Index lanes = codelet::lanes(recipe.isa, precision);
  const bool is_matrix =
      recipe.type == AxisRecipe::Type::four_step || recipe.type == AxisRecipe::Type::large;
  if (recipe.type == AxisRecipe::Type::lines && line_kernel(recipe, precision) == nullptr)
    return false;
  if (is_matrix && (recipe.lane[0].n < lanes || recipe.lane[1].n < lanes)) return false;
  if (recipe.type == AxisRecipe::Type::four_step && recipe.lane[1].radices.size() != 1)
    return false;
  return std::all_of(recipe.inner.begin(), recipe.inner.end(),
                     [&](const AxisRecipe& inner) { return is_buildable(inner, precision); });
}

Precision arithmetic(Precision stored) {
  return stored == Precision::f64 ? Precision::f64 : Precision::f32;
}

}  // namespace

bool fits(const ArrayRecipe& recipe, const ArrayProblem& problem) {
  std::size_t i = 0;
  for (const TileTask& tile : cut_into_tiles(problem, recipe.tile_bytes))
    for (const AxisTask& task : tile.axes) {
      if (i >= recipe.axes.size() || recipe.axes[i].n != task.problem.complex_length())
        return false;
      if (!is_buildable(recipe.axes[i], arithmetic(problem.precision))) return false;
      if (recipe.axes[i].type == AxisRecipe::Type::lines &&
          !admits_lines(recipe.axes[i], task.problem, arithmetic(problem.precision)))
        return false;
      if (recipe.axes[i].type == AxisRecipe::Type::real_kernel &&
          !admits_real_kernel(recipe.axes[i].isa, task.problem, arithmetic(problem.precision)))
        return false;
      ++i;
    }
  return i == recipe.axes.size();
}

std::string tree_of(const ArrayRecipe& recipe, const ArrayProblem& problem) {
  std::string text;
  std::size_t i = 0;
  int step = 0;
  for (const TileTask& tile : cut_into_tiles(problem, recipe.tile_bytes)) {
    Index tiles = 1;
    for (const Loop& loop : tile.outer) tiles *= loop.count;
    text += "step " + std::to_string(++step) + ": ";
    text += tile.outer.empty() ? "one sweep over the array\n"
                               : std::to_string(tiles) + " tiles, each kept in cache through " +
                                     std::to_string(tile.axes.size()) + " axes\n";
    for (const AxisTask& task : tile.axes) {
      Index transforms = 1;
      for (const Loop& loop : task.problem.loops) transforms *= loop.count;
      text += "  axis " + std::to_string(task.axis) + ", " + std::to_string(transforms) +
              (transforms == 1 ? " transform" : " transforms") +
              (tile.outer.empty() ? "" : " per tile") +
              (task.problem.kind == Kind::r2c   ? ", real input"
               : task.problem.kind == Kind::c2r ? ", real output"
               : task.problem.kind == Kind::r2r ? ", real to real"
                                                : "") +
              "\n";
      text += tree_of(recipe.axes[i++], 4);
    }
  }
  return text;
}

formula::Formula formula_of(const ArrayRecipe& recipe, const ArrayProblem& problem) {
  using namespace formula;
  // Each axis is I x A x I over the row-major array of the shape; later axes stand to the left.
  std::vector<Formula> factors;
  std::size_t i = 0;
  for (const TileTask& tile : cut_into_tiles(problem, recipe.tile_bytes))
    for (const AxisTask& task : tile.axes) {
      const AxisRecipe& axis = recipe.axes[i++];
      Index before = 1, after = 1;
      for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d)
        (d < task.axis ? before : after) *= d == task.axis ? 1 : problem.half_extent(d);
      std::vector<Formula> parts;
      if (before > 1) parts.push_back(identity(before));
      parts.push_back(task.problem.kind == Kind::r2c   ? Formula(RealDft{task.problem.n})
                      : task.problem.kind == Kind::c2r ? Formula(InverseRealDft{task.problem.n})
                      : task.problem.kind == Kind::r2r && task.problem.r2r == R2r::dht
                          ? Formula(Dht{task.problem.n})
                      : task.problem.kind == Kind::r2r
                          ? Formula(Trigonometric{static_cast<TrigonometricKind>(task.problem.r2r),
                                                  task.problem.n})
                          : formula_of(axis));
      if (after > 1) parts.push_back(identity(after));
      factors.insert(factors.begin(), parts.size() == 1 ? parts[0] : tensor(parts));
    }
  if (factors.empty()) return identity(1);
  return factors.size() == 1 ? factors[0] : compose(factors);
}

PlanCost cost_of(const ArrayRecipe& recipe, const ArrayProblem& problem, int threads) {
  PlanCost cost;
  const double real_bytes = problem.precision == Precision::f64   ? 8
                            : problem.precision == Precision::f32 ? 4
                                                                  : 2;
  double in_bytes = real_bytes * static_cast<double>(problem.in_width());
  double out_bytes = real_bytes * static_cast<double>(problem.out_width());
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d) {
    in_bytes *= static_cast<double>(problem.in_extent(d));
    out_bytes *= static_cast<double>(problem.out_extent(d));
  }
  std::size_t i = 0;
  for (const TileTask& tile : cut_into_tiles(problem, recipe.tile_bytes)) {
    double tiles = 1, sweeps = 1;
    for (const Loop& loop : tile.outer) tiles *= static_cast<double>(loop.count);
    double step_ns = 0;
    for (const AxisTask& task : tile.axes) {
      const AxisRecipe& axis = recipe.axes[i++];
      double transforms = tiles;
      for (const Loop& loop : task.problem.loops) transforms *= static_cast<double>(loop.count);
      const double combine = task.problem.kind == Kind::c2c ? 0 : 8.0 * static_cast<double>(axis.n);
      cost.flops += transforms * (flops(axis) + combine);
      step_ns += tiles * axis_ns(axis, task.problem, arithmetic(problem.precision));
      if (axis.type == AxisRecipe::Type::large) sweeps += 1;
    }
    cost.passes += sweeps;
    cost.bytes += sweeps * (in_bytes + out_bytes);
    const double floor_ns = sweeps * (in_bytes + out_bytes) / machine_model().memory_bytes_per_ns;
    const bool in_memory = in_bytes + out_bytes > machine_model().l3_bytes;
    cost.predicted_s +=
        (in_memory ? std::max(step_ns, floor_ns) : step_ns) * 1e-9 / std::max(1, threads);
  }
  return cost;
}

}  // namespace weft::local
