// SPDX-License-Identifier: BSD-3-Clause
// What an array recipe does, for people: a tree, a formula, numbers.
#include "local/array/array_report.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "base/names.hpp"
#include "local/axis/r2r_formula.hpp"

namespace weft::local {

using Part = AxisPart::Part;

namespace {

Index count_of(const std::vector<Loop>& loops) { return LoopIndex(loops).count(); }

std::string words_of(const TileTask& tile) {
  if (tile.outer.empty()) return "one sweep over the array";
  const Index tiles = count_of(tile.outer);
  const std::string number = std::to_string(tiles) + (tiles == 1 ? " tile, " : " tiles, ");
  const std::string axes = tile.axes.size() == 1 ? ""
                                                 : "each kept in cache through " +
                                                       std::to_string(tile.axes.size()) + " axes, ";
  return number + axes +
         (tile.threads_outside ? "each done by one thread" : "one after another by all threads");
}

std::string words_of(const AxisTask& task, bool has_tiles) {
  const Index transforms = count_of(task.problem.loops);
  std::string text = "axis " + to_text(task.axis) + ", " + std::to_string(transforms) +
                     (transforms == 1 ? " transform" : " transforms") +
                     (has_tiles ? " per tile" : "");
  if (task.problem.kind == Kind::r2c) text += ", real input";
  if (task.problem.kind == Kind::c2r) text += ", real output";
  if (task.problem.kind == Kind::r2r) text += ", real to real";
  const auto add = [&](const RowForm& form, Index rows, const char* side) {
    if (form.split) text += std::string(", split ") + side;
    if (form.kept > 0)
      text += ", " + std::to_string(form.kept) + " of " + std::to_string(rows) +
              (form.around_zero ? " points around zero of the " : " points of the ") + side;
  };
  add(task.problem.in_form, task.problem.in_rows(), "input");
  add(task.problem.out_form, task.problem.out_rows(), "output");
  if (task.problem.twiddled) text += ", times the factors of the split axis";
  return text;
}

}  // namespace

std::string tree_of(const ArrayRecipe& recipe, const ArrayProblem& problem) {
  if (problem.is_empty()) return "nothing to do: the array has no elements\n";
  std::string text;
  for (const CopyTask& task : copies_of(problem, recipe.cut))
    text += task.to == Place::copy
                ? "first a copy of the input, since the output is the same memory\n"
                : "one sweep over the array: each element is copied\n";
  if (const Index reals = temporary_reals(problem, recipe.cut); reals > 0)
    text += "between the steps in a temporary of " +
            std::to_string(reals * real_bytes(problem.precision)) + " bytes\n";
  if (const auto& split = recipe.cut.split)
    text += "axis " + std::to_string(split->axis) + " is split into " +
            std::to_string(split->first) + " (a) times " + std::to_string(split->second) + " (b)\n";
  std::size_t i = 0;
  int step = 0;
  for (const TileTask& tile : tiles_of(problem, recipe.cut)) {
    text += "step " + std::to_string(++step) + ": " + words_of(tile) + "\n";
    for (const AxisTask& task : tile.axes) {
      const AxisRecipe& axis = recipe.axes[i++];
      text += "  " + words_of(task, !tile.outer.empty()) + "\n";
      text +=
          tree_of(axis, 4,
                  words_of(engine_of(axis, task.problem, arithmetic_precision(problem.precision))));
    }
  }
  if (problem.kind == Kind::r2c && problem.extras.spectrum == Spectrum::full)
    text += "then the other half of the spectrum, the conjugates of the first\n";
  return text;
}

namespace {

formula::Formula formula_of(const AxisRecipe& recipe, const AxisProblem& problem) {
  using namespace formula;
  switch (problem.kind) {
    case Kind::r2c: return half_dft(problem.n);
    case Kind::c2r: return inverse_half_dft(problem.n);
    case Kind::r2r: return real_to_real(problem.r2r, problem.n, problem.orthogonalize);
    case Kind::c2c: break;
  }
  if (problem.direction == Direction::forward) return formula_of(recipe);
  return compose({cyclic_reversal(problem.n), formula_of(recipe)});
}

/// The points of a line that memory has, put in their places among all points; or taken from them.
formula::Formula places(const RowForm& form, Index points, bool is_output) {
  using Entries = std::vector<formula::Sparse::Entry>;
  std::vector<Entries> rows(static_cast<std::size_t>(is_output ? form.kept : points));
  for (Index kept = 0; kept < form.kept; ++kept) {
    const Index head = form.head(points);
    const Index place = kept < head ? kept : points - form.kept + kept;
    rows[static_cast<std::size_t>(is_output ? kept : place)] = {{is_output ? place : kept, 1}};
  }
  return formula::sparse(is_output ? points : form.kept, std::move(rows));
}

formula::Formula cropped(const AxisRecipe& recipe, const AxisProblem& problem) {
  formula::Formula line = formula_of(recipe, problem);
  if (problem.in_form.kept > 0)
    line = formula::compose({line, places(problem.in_form, problem.in_rows(), false)});
  if (problem.out_form.kept > 0)
    line = formula::compose({places(problem.out_form, problem.out_rows(), true), line});
  return line;
}

/// One part of a split axis, as a factor of the whole one; the second has the reversal of a
/// backward transform.
formula::Formula formula_of(const AxisRecipe& recipe, const AxisTask& task, const Split& split) {
  using namespace formula;
  const Index n = split.first * split.second;
  if (task.axis.part == Part::first)
    return compose(
        {twiddles(n, split.second), tensor({formula_of(recipe), identity(split.second)})});
  std::vector<Formula> factors{stride_permutation(n, split.second),
                               tensor({identity(split.first), formula_of(recipe)})};
  if (task.problem.direction == Direction::backward)
    factors.insert(factors.begin(), cyclic_reversal(n));
  return compose(factors);
}

}  // namespace

formula::Formula formula_of(const ArrayRecipe& recipe, const ArrayProblem& problem) {
  using namespace formula;
  // Each axis is I x A x I over the row-major array of the shape; later axes stand to the left.
  std::vector<Formula> factors;
  std::vector<int> done;
  std::size_t i = 0;
  for (const TileTask& tile : tiles_of(problem, recipe.cut))
    for (const AxisTask& task : tile.axes) {
      const int axis = task.axis.dimension;
      Index before = 1, after = 1;
      for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d)
        (d < axis ? before : after) *= d == axis           ? 1
                                       : contains(done, d) ? problem.written_extent(d)
                                                           : problem.read_extent(d);
      done.push_back(axis);
      const AxisRecipe& way = recipe.axes[i++];
      std::vector<Formula> parts;
      if (before > 1) parts.push_back(identity(before));
      parts.push_back(task.axis.part == Part::whole ? cropped(way, task.problem)
                                                    : formula_of(way, task, *recipe.cut.split));
      if (after > 1) parts.push_back(identity(after));
      factors.insert(factors.begin(), parts.size() == 1 ? parts[0] : tensor(parts));
    }
  if (factors.empty()) {
    Index points = 1;
    for (const Dimension& d : problem.dimensions) points *= d.n;
    return identity(std::max<Index>(points, 1));
  }
  return factors.size() == 1 ? factors[0] : compose(factors);
}

namespace {

struct ArrayBytes {
  double in, out;
};
ArrayBytes bytes_of(const ArrayProblem& problem) {
  const auto real = static_cast<double>(real_bytes(problem.precision));
  ArrayBytes bytes{real * static_cast<double>(problem.in_width()),
                   real * static_cast<double>(problem.out_width())};
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d) {
    bytes.in *= static_cast<double>(problem.in_extent(d));
    bytes.out *= static_cast<double>(problem.out_extent(d));
  }
  return bytes;
}

/// Does a step read from memory, rather than from what the step before left in the caches?
bool begins_in_memory(const ArrayBytes& bytes, int threads) {
  return bytes.in + bytes.out > threads * machine_model().l3_share_bytes(threads);
}

/// Tiles that come from memory through columns take longer than those that come line by line. From
/// both orders of two axes in 14 arrays beyond the caches, on a Zen 5 and a Xeon.
constexpr double columns_first = 1.06;
bool begins_with_columns(const TileTask& tile) {
  const AxisProblem& first = tile.axes.front().problem;
  return tile.axes.size() > 1 && std::abs(first.in_row) > 2;
}

}  // namespace

Setting setting_of(const TileTask& tile, const AxisTask& task, const ArrayProblem& problem,
                   int threads) {
  const ArrayBytes bytes = bytes_of(problem);
  const double l3_bytes = threads * machine_model().l3_share_bytes(threads);
  return {.precision = arithmetic_precision(problem.precision),
          .threads = threads,
          .workers = tile.threads_outside ? 1 : threads,
          .in_place = task.from == task.to,
          .from_memory = &task == &tile.axes.front() && begins_in_memory(bytes, threads),
          .read_again = !task.is_last && 2 * bytes.out <= l3_bytes};
}

PlanCost cost_of(const ArrayRecipe& recipe, const ArrayProblem& problem, int threads) {
  threads = std::max(1, threads);
  PlanCost cost;
  const MachineModel machine = machine_model();
  const ArrayBytes bytes = bytes_of(problem);
  if (problem.is_empty()) return cost;
  const bool in_memory = begins_in_memory(bytes, threads);
  double copies = static_cast<double>(copies_of(problem, recipe.cut).size());
  if (problem.kind == Kind::r2c && problem.extras.spectrum == Spectrum::full) copies += 0.5;
  cost.passes = copies;
  cost.bytes = copies * (bytes.in + bytes.out);
  cost.predicted_s = cost.bytes / machine.speeds.memory_bytes_per_ns * 1e-9;
  std::size_t i = 0;
  for (const TileTask& tile : tiles_of(problem, recipe.cut)) {
    double tiles = 1, sweeps = 1;
    for (const Loop& loop : tile.outer) tiles *= static_cast<double>(loop.count);
    double step_ns = 0;
    for (const AxisTask& task : tile.axes) {
      const AxisRecipe& axis = recipe.axes[i++];
      double transforms = tiles;
      for (const Loop& loop : task.problem.loops) transforms *= static_cast<double>(loop.count);
      const double combine = task.problem.kind == Kind::c2c ? 0 : 8.0 * static_cast<double>(axis.n);
      cost.flops += transforms * (flops(axis) + combine);
      const Setting setting = setting_of(tile, task, problem, threads);
      // Threads that take tiles of their own: the one with the most sets the time.
      const double turns = tile.threads_outside ? std::ceil(tiles / threads) : tiles;
      step_ns += turns * axis_ns(axis, task.problem, setting, machine);
      if (axis.type == AxisRecipe::Type::large) sweeps += 1;
    }
    cost.passes += sweeps;
    cost.bytes += sweeps * (bytes.in + bytes.out);
    const double floor_ns = sweeps * (bytes.in + bytes.out) / machine.speeds.memory_bytes_per_ns /
                            std::min<double>(threads, machine.speeds.memory_cores);
    if (in_memory) step_ns = std::max(step_ns, floor_ns);
    if (in_memory && begins_with_columns(tile)) step_ns *= columns_first;
    cost.predicted_s += step_ns * 1e-9;
  }
  return cost;
}

}  // namespace weft::local
