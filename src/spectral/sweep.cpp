// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/sweep.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "local/array/array_fit.hpp"
#include "local/choose/cuts.hpp"
#include "local/choose/planner.hpp"
#include "problem/request.hpp"

namespace weft::spectral {
namespace {

/// The recipe of an axis in a recipe of the whole array; null if it does the axis in parts.
const local::AxisRecipe* recipe_of(const local::ArrayRecipe& whole, local::AxisPart axis) {
  std::size_t next = 0;
  for (const local::StepCut& step : whole.cut.steps)
    for (const local::AxisPart& each : step.axes) {
      if (each == axis) return &whole.axes[next];
      ++next;
    }
  return nullptr;
}

std::optional<local::ArrayRecipe> of_tile(const problem::ArrayProblem& tile,
                                          const local::ArrayRecipe& whole, Stores stores) {
  local::ArrayRecipe recipe{local::unfused_cut(tile), {}};
  for (const local::StepCut& step : recipe.cut.steps)
    for (const local::AxisPart& axis : step.axes) {
      const local::AxisRecipe* found = recipe_of(whole, axis);
      if (found == nullptr) return std::nullopt;
      recipe.axes.push_back(*found);
      recipe.axes.back().stream = false;
    }
  if (recipe.axes.empty()) return std::nullopt;
  if (stores == Stores::past_caches) recipe.axes.back().stream = true;
  if (!local::fits(recipe, tile)) return std::nullopt;
  return recipe;
}

}  // namespace

Transform part_of(const OperatorProblem& problem, const std::vector<int>& axes,
                  const std::vector<Index>& shape, Direction direction) {
  const Transform& whole = problem.forward;
  const bool is_forward = direction == Direction::forward;
  Transform part = c2c(shape, {.axes = axes, .direction = direction, .precision = whole.precision});
  if (whole.kind == Kind::r2c && std::ranges::find(axes, whole.axes.back()) != axes.end())
    part.kind = is_forward ? Kind::r2c : Kind::c2r;
  std::vector<Index> ends = shape;
  for (int axis : axes) {
    part.shape[at(axis)] = whole.shape[at(axis)];
    ends[at(axis)] = is_forward ? whole.input_extents[at(axis)] : whole.output_extents[at(axis)];
  }
  if (ends != part.shape) (is_forward ? part.input_extents : part.output_extents) = ends;
  return part;
}

problem::ArrayProblem array_problem(const Transform& transform,
                                    const std::vector<Index>& in_strides,
                                    const std::vector<Index>& out_strides, double scale) {
  problem::ArrayProblem array =
      problem::check_request(transform, {.strides = in_strides}, {.strides = out_strides}).problem;
  array.scale = scale;
  return array;
}

local::ArrayRecipe choose_recipe(const problem::ArrayProblem& problem,
                                 const OperatorChoice& choice) {
  return local::choose_recipe(problem, {.effort = choice.effort,
                                        .time_limit_s = choice.time_limit_s,
                                        .executor = choice.executor,
                                        .use_wisdom = choice.use_wisdom});
}

template <class Real>
Sweep<Real> make_sweep(const problem::ArrayProblem& problem, const OperatorChoice& choice) {
  local::ArrayRecipe recipe = choose_recipe(problem, choice);
  local::ArrayPlan<Real> plan(recipe, problem, choice.executor);
  return {problem, std::move(recipe), std::move(plan)};
}

template <class Real>
Sweep<Real> make_tile_sweep(const problem::ArrayProblem& tile, const local::ArrayRecipe& whole,
                            Stores stores, OperatorChoice choice) {
  choice.executor = serial_executor();
  std::optional<local::ArrayRecipe> recipe = of_tile(tile, whole, stores);
  if (!recipe && stores == Stores::past_caches) recipe = of_tile(tile, whole, Stores::in_cache);
  if (!recipe) return make_sweep<Real>(tile, choice);
  local::ArrayPlan<Real> plan(*recipe, tile, choice.executor);
  return {tile, std::move(*recipe), std::move(plan)};
}

std::vector<Index> padded_strides(const std::vector<Index>& extents, int axis, Index line) {
  const std::size_t inside = at(axis);
  std::vector<Index> strides(extents.size());
  Index stride = 1;
  for (std::size_t d = extents.size(); d-- > 0;) {
    if (d + 2 == extents.size() || d == inside) stride = round_up(stride, line);
    if (d == inside && stride / line % 2 == 0 && stride > line) stride += line;
    strides[d] = stride;
    stride = checked_product(stride, extents[d], "the arrays of an operator");
  }
  return strides;
}

template Sweep<float> make_sweep(const problem::ArrayProblem&, const OperatorChoice&);
template Sweep<double> make_sweep(const problem::ArrayProblem&, const OperatorChoice&);
template Sweep<float> make_tile_sweep(const problem::ArrayProblem&, const local::ArrayRecipe&,
                                      Stores, OperatorChoice);
template Sweep<double> make_tile_sweep(const problem::ArrayProblem&, const local::ArrayRecipe&,
                                       Stores, OperatorChoice);

}  // namespace weft::spectral
