// SPDX-License-Identifier: BSD-3-Clause
// Which array recipes fit which problems. Recipes may come from a file or from a caller, so
// everything about them is checked: a recipe that is accepted computes the right numbers.
#include "local/array/array_fit.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "local/array/array_cut.hpp"
#include "local/axis/axis_fit.hpp"

namespace weft::local {
namespace {

using Part = AxisPart::Part;

struct CutCheck {
  const ArrayCut& cut;
  const ArrayProblem& problem;
  std::vector<int> done = {};  // axes that the steps before have transformed

  bool is_transformed(int dimension) const {
    return std::ranges::find(problem.axes, dimension) != problem.axes.end();
  }
  bool exists(AxisPart axis) const {
    const bool is_split = cut.split && cut.split->axis == axis.dimension;
    return axis.dimension < static_cast<int>(problem.dimensions.size()) &&
           is_split == (axis.part != Part::whole);
  }
  Index extent(AxisPart axis) const {
    if (axis.part == Part::whole)
      return contains(done, axis.dimension) ? problem.written_extent(axis.dimension)
                                            : problem.read_extent(axis.dimension);
    return axis.part == Part::first ? cut.split->first : cut.split->second;
  }

  std::string split() const {
    if (!cut.split) return {};
    const auto& [axis, first, second] = *cut.split;
    const std::string name = "axis " + std::to_string(axis);
    if (!is_transformed(axis)) return name + " is split, but it is not transformed";
    if (problem.kind == Kind::r2r || axis == problem.halved_axis() ||
        problem.precision == Precision::f16)
      return "only complex axes of f32 and f64 can be split";
    if (problem.is_padded() || problem.extras.in_split || problem.extras.out_split)
      return "padded transforms and those of split numbers have whole axes only";
    const Index n = problem.dimensions[at(axis)].n;
    if (first < 2 || second < 2 || n % first != 0 || n / first != second)
      return name + " has " + std::to_string(n) + " points, it cannot be split into " +
             std::to_string(first) + " x " + std::to_string(second);
    return {};
  }

  /// Every axis once, the parts of a split one in their order, the real one first (r2c) or last
  /// (c2r).
  std::string order() const {
    std::vector<AxisPart> order;
    for (const StepCut& step : cut.steps) {
      if (step.axes.empty()) return "a step has no axis";
      order.insert(order.end(), step.axes.begin(), step.axes.end());
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!exists(order[i]) || !is_transformed(order[i].dimension))
        return "the transform has no axis " + to_text(order[i]);
      if (std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i), order[i]) !=
          order.begin() + static_cast<std::ptrdiff_t>(i))
        return "axis " + to_text(order[i]) + " is listed twice";
    }
    if (order.size() != problem.axes.size() + (cut.split ? 1 : 0))
      return "the transform has " + std::to_string(problem.axes.size()) + " axes, the recipe " +
             std::to_string(order.size());
    if (cut.split && std::ranges::find(order, Part::second, &AxisPart::part) <
                         std::ranges::find(order, Part::first, &AxisPart::part))
      return "the second part of a split axis comes before the first";
    if (problem.kind == Kind::r2c && order.front().dimension != problem.halved_axis())
      return "r2c must begin with its real axis " + std::to_string(problem.halved_axis());
    if (problem.kind == Kind::c2r && order.back().dimension != problem.halved_axis())
      return "c2r must end with its real axis " + std::to_string(problem.halved_axis());
    return {};
  }

  std::string tiles(const StepCut& step) const {
    if (step.threads_outside && step.tiles.empty()) return "threads outside need tiles";
    for (std::size_t i = 0; i < step.tiles.size(); ++i) {
      const auto& [over, width] = step.tiles[i];
      const std::string name = "dimension " + to_text(over);
      if (!exists(over)) return "the array has no " + name;
      if (std::ranges::find(step.axes, over) != step.axes.end())
        return name + " cannot be transformed and looped over in one step";
      for (std::size_t j = 0; j < i; ++j)
        if (step.tiles[j].over == over) return "a step loops over " + name + " twice";
      if (width < 1 || extent(over) % width != 0)
        return name + " has " + std::to_string(extent(over)) + " indices, which tiles of " +
               std::to_string(width) + " do not fill";
    }
    return factors(step);
  }

  /// The factors after the first part are those of one index of the second.
  std::string factors(const StepCut& step) const {
    if (std::ranges::find(step.axes, Part::first, &AxisPart::part) == step.axes.end()) return {};
    for (const TileLoop& loop : step.tiles)
      if (loop.over.part == Part::second && loop.width == 1) return {};
    return "the step with part a of the split axis must have a tile for each index of part b";
  }
};

}  // namespace

std::string misfit(const ArrayCut& cut, const ArrayProblem& problem) {
  if (problem.is_empty())
    return cut.steps.empty() ? "" : "the array has no elements, so there is nothing to transform";
  if (problem.has_blocks()) return "the array lies in blocks, which only GPUs transform";
  CutCheck check{cut, problem};
  if (std::string why = check.split(); !why.empty()) return why;
  if (std::string why = check.order(); !why.empty()) return why;
  for (const StepCut& step : cut.steps) {
    if (std::string why = check.tiles(step); !why.empty()) return why;
    for (const AxisPart& axis : step.axes) check.done.push_back(axis.dimension);
  }
  return {};
}

std::string misfit(const ArrayRecipe& recipe, const ArrayProblem& problem) {
  if (std::string why = misfit(recipe.cut, problem); !why.empty()) return why;
  std::size_t i = 0;
  for (const TileTask& tile : tiles_of(problem, recipe.cut))
    for (const AxisTask& task : tile.axes) {
      if (i >= recipe.axes.size()) return "it has too few axis recipes";
      const AxisRecipe& axis = recipe.axes[i++];
      if (!fits(axis, task.problem, arithmetic_precision(problem.precision)))
        return to_text(axis) + " cannot do axis " + to_text(task.axis) + ", " +
               std::to_string(task.problem.n) + " points of " + to_string(task.problem.kind) +
               " with its strides, on this CPU";
      if (axis.together && tile.threads_outside)
        return to_text(axis) + " has all threads on one line, in a step with threads outside";
    }
  return i == recipe.axes.size() ? "" : "it has too many axis recipes";
}

}  // namespace weft::local
