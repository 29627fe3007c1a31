// SPDX-License-Identifier: BSD-3-Clause
#include "local/array/array_cut.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/index.hpp"

namespace weft::local {

using Part = AxisPart::Part;

namespace {

/// Reals per element between the passes.
Index middle_width(const ArrayProblem& problem) { return problem.kind == Kind::r2r ? 1 : 2; }

}  // namespace

Index stride_of(const ArrayProblem& problem, int dimension, Place place) {
  const Dimension& d = problem.dimensions[at(dimension)];
  if (place == Place::input) return d.in;
  if (place == Place::output) return d.out;
  // Contiguous: the half spectrum, or as many reals as the input has.
  const bool is_copy = place == Place::copy;
  Index stride = is_copy ? in_width(problem.kind) : middle_width(problem);
  for (int inner = static_cast<int>(problem.dimensions.size()) - 1; inner > dimension; --inner)
    stride *= is_copy ? problem.read_extent(inner) : problem.middle_extent(inner);
  return stride;
}

bool is_split(const ArrayProblem& problem, Place place) {
  return (place == Place::input && problem.extras.in_split) ||
         (place == Place::output && problem.extras.out_split);
}

namespace {

/// Whether an axis that is not the first one becomes shorter: until then the array between the
/// passes is larger than the output.
bool shrinks_late(const ArrayProblem& problem, const ArrayCut& cut) {
  bool is_first = true;
  for (const StepCut& step : cut.steps)
    for (const AxisPart& axis : step.axes) {
      if (!is_first && problem.written_extent(axis.dimension) < problem.read_extent(axis.dimension))
        return true;
      is_first = false;
    }
  return false;
}

bool has_temporary(const ArrayProblem& problem, const ArrayCut& cut) {
  return cut.split || (problem.kind == Kind::c2r && problem.axes.size() > 1) ||
         (problem.extras.in_place && cut.steps.size() > 1) || shrinks_late(problem, cut);
}

/// Steps write the output only after all of the input was read, unless there is but one.
bool has_copy(const ArrayProblem& problem, const ArrayCut& cut) {
  return problem.extras.in_place && cut.steps.size() < 2;
}

/// Reads the problem as the cut does: dimensions, with the split one as two.
struct Cutter {
  const ArrayProblem& problem;
  const ArrayCut& cut;
  std::vector<int> done = {};  // axes that are transformed

  std::vector<AxisPart> parts() const {
    std::vector<AxisPart> all;
    for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d)
      if (cut.split && d == cut.split->axis) {
        all.push_back({d, Part::first});
        all.push_back({d, Part::second});
      } else {
        all.push_back({d});
      }
    return all;
  }

  /// The input holds j1 n2 + j2, as does the temporary; the output k1 + n1 k2.
  Index stride(AxisPart axis, Place place) const {
    const Index stride = stride_of(problem, axis.dimension, place);
    if (axis.part == Part::whole) return stride;
    if (place == Place::output)
      return axis.part == Part::first ? stride : stride * cut.split->first;
    return axis.part == Part::first ? stride * cut.split->second : stride;
  }

  /// Once the axes in `done` are transformed.
  Index extent(AxisPart axis) const {
    switch (axis.part) {
      case Part::first: return cut.split->first;
      case Part::second: return cut.split->second;
      default:
        return contains(done, axis.dimension) ? problem.written_extent(axis.dimension)
                                              : problem.read_extent(axis.dimension);
    }
  }
  Index extent_within(const StepCut& step, AxisPart axis) const {
    const auto loop = std::ranges::find(step.tiles, axis, &TileLoop::over);
    return loop == step.tiles.end() ? extent(axis) : loop->width;
  }

  std::pair<Place, Place> places(std::size_t i, std::size_t count) const {
    const Place source = has_copy(problem, cut) ? Place::copy : Place::input;
    if (!has_temporary(problem, cut)) return {i == 0 ? source : Place::output, Place::output};
    return {i == 0 ? source : Place::temporary, i + 1 == count ? Place::output : Place::temporary};
  }

  /// What memory has of a row: all of `whole` points or fewer.
  RowForm form(AxisPart axis, Place place, Index there, Index whole, Direction spectrum) const {
    const bool is_complex = problem.kind != Kind::r2r && axis.dimension != problem.halved_axis();
    RowForm form{.split = local::is_split(problem, place)};
    if (axis.part != Part::whole || there == whole) return form;
    form.kept = there;
    form.around_zero =
        is_complex && problem.extras.modes == Modes::around_zero && problem.direction == spectrum;
    return form;
  }

  AxisTask axis_task(AxisPart axis, Place from, Place to, const StepCut& step) const {
    AxisTask task{axis, from, to, {}};
    AxisProblem& p = task.problem;
    const bool is_halved = axis.dimension == problem.halved_axis();
    p.kind = is_halved || problem.kind == Kind::r2r ? problem.kind : Kind::c2c;
    if (problem.kind == Kind::r2r) {
      const auto position = std::find(problem.axes.begin(), problem.axes.end(), axis.dimension) -
                            problem.axes.begin();
      p.r2r = problem.r2r[static_cast<std::size_t>(position)];
    }
    p.n = axis.part == Part::whole ? problem.dimensions[at(axis.dimension)].n : extent(axis);
    p.in_row = stride(axis, from);
    p.out_row = stride(axis, to);
    p.in_form =
        form(axis, from, problem.read_extent(axis.dimension), p.in_rows(), Direction::backward);
    p.out_form =
        form(axis, to, problem.written_extent(axis.dimension), p.out_rows(), Direction::forward);
    p.orthogonalize = problem.orthogonalize;
    p.half = problem.precision == Precision::f16;
    p.twiddled = axis.part == Part::first;
    p.direction = problem.kind == Kind::r2c   ? Direction::forward
                  : problem.kind == Kind::c2r ? Direction::backward
                                              : problem.direction;
    for (AxisPart part : parts())
      if (const Index count = extent_within(step, part); part != axis && count > 1)
        p.loops.push_back({count, stride(part, from), stride(part, to)});
    arrange_loops(p);
    return task;
  }

  /// Joins loops that continue each other, and puts the one that makes the best lanes last.
  static void arrange_loops(AxisProblem& p) {
    auto& loops = p.loops;
    std::stable_sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) {
      return std::abs(a.out) > std::abs(b.out);
    });
    for (std::size_t i = loops.size(); i-- > 1;) {
      const Loop inner = loops[i];
      Loop& next = loops[i - 1];
      if (next.in == inner.count * inner.in && next.out == inner.count * inner.out) {
        next = {next.count * inner.count, inner.in, inner.out};
        loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    const auto merit = [&](const Loop& loop) {
      const double lanes = static_cast<double>(std::min<Index>(loop.count, 16));
      const Index in_unit = p.in_form.split ? 1 : in_width(p.kind);
      const Index out_unit = p.out_form.split ? 1 : out_width(p.kind);
      return lanes * (1 + (loop.in == in_unit) + (loop.out == out_unit));
    };
    std::size_t best = loops.size();
    for (std::size_t i = loops.size(); i-- > 0;)
      if (best == loops.size() || merit(loops[i]) > merit(loops[best])) best = i;
    if (best < loops.size())
      std::rotate(loops.begin() + static_cast<std::ptrdiff_t>(best),
                  loops.begin() + static_cast<std::ptrdiff_t>(best) + 1, loops.end());
  }

  void add_outer_loops(const StepCut& step, TileTask& task) const {
    const Place middle = has_temporary(problem, cut) ? Place::temporary : Place::output;
    for (const auto& [over, width] : step.tiles) {
      const Index count = extent(over) / width;
      task.outer.push_back({count, width * stride(over, task.axes.front().from),
                            width * stride(over, task.axes.back().to)});
      task.outer_middle.push_back(
          {count, width * stride(over, middle), width * stride(over, middle)});
      if (task.twiddles) task.twiddles->period *= count;
      if (over.part == Part::second &&
          std::ranges::any_of(step.axes, [](AxisPart axis) { return axis.part == Part::first; }))
        task.twiddles = SplitTwiddles{cut.split->first, cut.split->second, 1};
    }
  }
};

}  // namespace

std::vector<TileTask> tiles_of(const ArrayProblem& problem, const ArrayCut& cut) {
  Cutter cutter{problem, cut};
  std::size_t count = 0, next = 0;
  for (const StepCut& step : cut.steps) count += step.axes.size();
  std::vector<TileTask> tasks;
  for (const StepCut& step : cut.steps) {
    TileTask task{
        .outer = {}, .outer_middle = {}, .threads_outside = step.threads_outside, .axes = {}};
    for (AxisPart axis : step.axes) {
      const auto [from, to] = cutter.places(next++, count);
      task.axes.push_back(cutter.axis_task(axis, from, to, step));
      cutter.done.push_back(axis.dimension);
    }
    cutter.add_outer_loops(step, task);
    tasks.push_back(std::move(task));
  }
  if (!tasks.empty()) {
    tasks.back().axes.back().problem.scale = problem.scale;
    tasks.back().axes.back().is_last = true;
  }
  return tasks;
}

std::vector<CopyTask> copies_of(const ArrayProblem& problem, const ArrayCut& cut) {
  if (problem.is_empty()) return {};
  const auto copy = [&](Place from, Place to) {
    CopyTask task{from, to, {}};
    for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d)
      task.loops.push_back(
          {problem.read_extent(d), stride_of(problem, d, from), stride_of(problem, d, to)});
    return task;
  };
  std::vector<CopyTask> tasks;
  const Place source = has_copy(problem, cut) ? Place::copy : Place::input;
  if (source == Place::copy) tasks.push_back(copy(Place::input, Place::copy));
  if (problem.axes.empty()) tasks.push_back(copy(source, Place::output));
  return tasks;
}

Index temporary_reals(const ArrayProblem& problem, const ArrayCut& cut) {
  if (!has_temporary(problem, cut)) return 0;
  Index reals = middle_width(problem);
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d)
    reals = checked_product(reals, problem.middle_extent(d), "the array between the passes");
  return reals;
}

Index copy_reals(const ArrayProblem& problem, const ArrayCut& cut) {
  if (!has_copy(problem, cut)) return 0;
  Index reals = in_width(problem.kind);
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d)
    reals = checked_product(reals, problem.read_extent(d), "the copy of the input");
  return reals;
}

}  // namespace weft::local
