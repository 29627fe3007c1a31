// SPDX-License-Identifier: BSD-3-Clause
#include "global/recipe/recipe.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "reshape/cover.hpp"

namespace weft::global {
std::vector<Index> split_shape(const GlobalProblem& problem, const LineSplit& split) {
  std::vector<Index> shape = problem.shape();
  const bool halved = problem.kind != Kind::c2c;
  shape[at(split.axis)] = halved ? split.rows / 2 + 1 : split.rows;
  shape.insert(shape.begin() + split.axis + 1, split.columns);
  return shape;
}

std::vector<Index> GlobalProblem::input_shape() const {
  return input_is_split ? split_shape(*this, *split) : in_shape();
}
std::vector<Index> GlobalProblem::output_shape() const {
  return output_is_split ? split_shape(*this, *split) : out_shape();
}

std::vector<Index> cut_shape(const GlobalProblem& problem) {
  std::vector<Index> shape;
  for (int d = 0; d < problem.ndim(); ++d)
    shape.push_back(d == problem.halved_axis()
                        ? problem.middle_extent(d)
                        : std::min(problem.read_extent(d), problem.written_extent(d)));
  return shape;
}

Recipe reversed(Recipe recipe) {
  std::ranges::reverse(recipe.stages);
  for (Stage& stage : recipe.stages) {
    if (stage.where == Stage::Where::input)
      stage.where = Stage::Where::output;
    else if (stage.where == Stage::Where::output)
      stage.where = Stage::Where::input;
  }
  return recipe;
}

GlobalProblem mirrored(const GlobalProblem& problem) {
  GlobalProblem mirror = problem;
  std::swap(mirror.input, mirror.output);
  std::swap(mirror.reach.input, mirror.reach.output);
  if (problem.kind == Kind::c2r) mirror.kind = Kind::r2c;
  if (problem.kind == Kind::r2c) mirror.kind = Kind::c2r;
  mirror.direction =
      problem.direction == Direction::forward ? Direction::backward : Direction::forward;
  for (problem::Dimension& d : mirror.dimensions) std::swap(d.in_kept, d.out_kept);
  return mirror;
}

std::vector<Index> shape_before(const GlobalProblem& problem, const Recipe& recipe,
                                std::size_t index) {
  std::vector<Index> shape = problem.in_shape();
  for (std::size_t i = 0; i < index; ++i)
    for (const int axis : recipe.stages[i].axes)
      if (axis >= 0 && axis < problem.ndim()) shape[at(axis)] = problem.out_extent(axis);
  return shape;
}

ArrayDistribution distribution_of(const GlobalProblem& problem, const Stage& stage,
                                  std::span<const Index> shape) {
  if (stage.where == Stage::Where::grid)
    return ArrayDistribution(shape, stage.grid, problem.ranks());
  const ArrayDistribution& own =
      stage.where == Stage::Where::input ? problem.input : problem.output;
  // Where an axis has another extent on the other side of its transform, a box spans it there too.
  const auto own_shape =
      stage.where == Stage::Where::input ? problem.input_shape() : problem.output_shape();
  if (std::ranges::equal(own_shape, shape)) return own;
  ArrayDistribution::List list = own.list();
  for (auto& boxes : list)
    for (Box& box : boxes)
      for (std::size_t d = 0; d < shape.size(); ++d)
        if (own_shape[d] != shape[d] && !box.empty()) box.end[d] = shape[d];
  return list;
}

bool same_boxes(const ArrayDistribution& a, const ArrayDistribution& b) {
  if (a.is_same_grid(b)) return true;
  const auto filled = [](std::vector<Box> boxes) {
    std::erase_if(boxes, [](const Box& box) { return box.empty(); });
    return boxes;
  };
  for (std::size_t rank = 0; rank < a.size(); ++rank)
    if (filled(a[rank]) != filled(b[rank])) return false;
  return true;
}

namespace {

bool is_grid_of(const Grid& grid, const GlobalProblem& problem) {
  if (grid.size() != at(problem.ndim())) return false;
  Index left = problem.ranks();  // for the axes to come
  for (int ranks : grid) {
    if (ranks < 1 || ranks > left) return false;
    left /= ranks;
  }
  return true;
}

/// Whether the array of that shape can lie in the stage's distribution.
bool can_lie(const GlobalProblem& problem, const Stage& stage, std::span<const Index> shape) {
  if (stage.where == Stage::Where::grid) return is_grid_of(stage.grid, problem);
  const bool is_input = stage.where == Stage::Where::input;
  if (!is_input && problem.output_is_free) return false;
  const auto own_shape = is_input ? problem.input_shape() : problem.output_shape();
  if (own_shape.size() != shape.size()) return false;
  // Boxes that are cut along an axis mean nothing where the axis has another extent.
  for (int d = 0; d < problem.ndim(); ++d)
    if (own_shape[at(d)] != shape[at(d)] &&
        !reshape::is_whole(is_input ? problem.input : problem.output, own_shape, d))
      return false;
  return true;
}

bool has(const Stage& stage, int axis) { return contains(stage.axes, axis); }

/// r2c: before all other axes, or together with them. c2r: the same from the end.
bool halves_in_time(const Recipe& recipe, const GlobalProblem& problem) {
  const int halved = problem.halved_axis();
  if (halved < 0) return true;
  const auto& stages = recipe.stages;
  const auto busy = [](const Stage& stage) { return !stage.axes.empty(); };
  if (problem.kind == Kind::r2c) {
    const auto first = std::ranges::find_if(stages, busy);
    return first != stages.end() && has(*first, halved);
  }
  const auto last = std::find_if(stages.rbegin(), stages.rend(), busy);
  return last != stages.rend() && has(*last, halved);
}

/// The factors of a line come between its two axes.
bool twiddles_in_time(const Recipe& recipe, const GlobalProblem& problem) {
  if (problem.twiddled < 0) return true;
  const int first = problem.twiddled + (problem.columns_first ? 1 : 0);
  const auto stage_of = [&](int axis) {
    return std::ranges::find_if(recipe.stages,
                                [&](const Stage& stage) { return has(stage, axis); });
  };
  return stage_of(first) < stage_of(2 * problem.twiddled + 1 - first);
}

/// Whether the stage lies somewhere before and after its transforms, and has its axes whole.
bool stage_fits(const Recipe& recipe, const GlobalProblem& problem, std::size_t index) {
  const Stage& stage = recipe.stages[index];
  const auto before = shape_before(problem, recipe, index);
  if (!can_lie(problem, stage, before) ||
      !can_lie(problem, stage, shape_before(problem, recipe, index + 1)))
    return false;
  const ArrayDistribution distribution = distribution_of(problem, stage, before);
  for (int axis : stage.axes)
    if (axis < 0 || axis >= problem.ndim() || !reshape::is_whole(distribution, before, axis))
      return false;
  const bool is_between = index > 0 && index + 1 < recipe.stages.size();
  return !is_between || stage.where != Stage::Where::output ||
         reshape::is_partition(distribution, before);
}

}  // namespace

bool stages_fit(const Recipe& recipe, const GlobalProblem& problem) {
  std::vector<int> done;
  for (std::size_t i = 0; i < recipe.stages.size(); ++i) {
    if (!stage_fits(recipe, problem, i)) return false;
    done.insert(done.end(), recipe.stages[i].axes.begin(), recipe.stages[i].axes.end());
  }
  std::vector<int> wanted = problem.axes;
  std::ranges::sort(done);
  std::ranges::sort(wanted);
  if (done != wanted) return false;
  if (!halves_in_time(recipe, problem) || !twiddles_in_time(recipe, problem)) return false;
  const Stage &first = recipe.stages.front(), &last = recipe.stages.back();
  if (first.where != Stage::Where::input &&
      !same_boxes(distribution_of(problem, first, problem.input_shape()), problem.input))
    return false;
  return problem.output_is_free || last.where == Stage::Where::output ||
         same_boxes(distribution_of(problem, last, problem.output_shape()), problem.output);
}

}  // namespace weft::global
