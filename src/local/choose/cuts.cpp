// SPDX-License-Identifier: BSD-3-Clause
#include "local/choose/cuts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/index.hpp"
#include "local/choose/cost_model.hpp"

namespace weft::local {
namespace {

using Part = AxisPart::Part;

void add_once(std::vector<ArrayCut>& list, ArrayCut cut) {
  if (std::ranges::find(list, cut) == list.end()) list.push_back(std::move(cut));
}

struct Planner {
  const ArrayProblem& problem;
  int threads;
  Place place =
      problem.kind == Kind::c2r && problem.axes.size() > 1 ? Place::temporary : Place::output;

  Index distance(int d) const { return std::abs(stride_of(problem, d, place)); }
  int dimensions() const { return static_cast<int>(problem.dimensions.size()); }
  double point_bytes() const {
    return static_cast<double>(real_bytes(problem.precision) *
                               std::max(problem.in_width(), problem.out_width()));
  }
  /// A tile that all its axes find in cache: L2, or a thread's share of L3.
  double most_tile_bytes() const {
    const MachineModel machine = machine_model();
    return std::max(machine.l2.bytes, machine.l3_lasting_bytes() / threads);
  }

  /// A tile between the second cache and a thread's share of the third: still faster than a sweep
  /// of its own for every axis while it is not much larger than the second. (512^3 f64, one thread,
  /// planes of 4 MiB: with 2 MiB of second cache 1.63 s instead of 2.2, with 1 MiB 0.59 instead of
  /// 0.54.)
  double most_wide_tile_bytes() const {
    const MachineModel machine = machine_model();
    return std::min(2 * machine.l2.bytes, machine.l3_share_bytes(threads) / 2);
  }

  /// The real axis where it must be.
  void place_real_axis(std::vector<int>& order) const {
    const auto halved = std::find(order.begin(), order.end(), problem.halved_axis());
    if (halved != order.end() && problem.kind == Kind::r2c)
      std::rotate(order.begin(), halved, halved + 1);
    if (halved != order.end() && problem.kind == Kind::c2r)
      std::rotate(halved, halved + 1, order.end());
  }
  /// Axes that become shorter come first, those that become longer last: so there is less to do.
  int growth(int axis) const {
    const Index before = problem.read_extent(axis), after = problem.written_extent(axis);
    if (axis == problem.halved_axis()) return 0;
    return before > after ? -1 : before < after ? 1 : 0;
  }
  /// Fastest first.
  std::vector<int> order() const {
    std::vector<int> axes = problem.axes;
    std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) {
      if (growth(a) != growth(b)) return growth(a) < growth(b);
      return std::abs(problem.dimensions[at(a)].out) < std::abs(problem.dimensions[at(b)].out);
    });
    place_real_axis(axes);
    return axes;
  }

  /// Fastest first, slowest first and, of few axes, all others.
  std::vector<std::vector<int>> orders() const {
    std::vector<int> axes = order();
    std::vector<std::vector<int>> list{axes, {axes.rbegin(), axes.rend()}};
    std::ranges::sort(axes);
    if (axes.size() <= 3) do
        list.push_back(axes);
      while (std::next_permutation(axes.begin(), axes.end()));
    for (std::vector<int>& axes_in_order : list) place_real_axis(axes_in_order);
    return list;
  }

  /// Tiles that hold the given axes and every dimension within them.
  StepCut step(const std::vector<int>& axes) const {
    StepCut step;
    Index widest = 0;
    for (int axis : axes) {
      step.axes.push_back({axis});
      widest = std::max(widest, distance(axis));
    }
    if (axes.size() > 1)
      for (int d = 0; d < dimensions(); ++d)
        if (distance(d) > widest) step.tiles.push_back({{d}});
    set_threads(step, Split{});
    return step;
  }
  /// With too few tiles for all threads, the threads share the work within each tile.
  void set_threads(StepCut& step, const Split& split) const {
    step.threads_outside = !step.tiles.empty() && tiles(step, split) >= threads;
  }
  double tiles(const StepCut& step, const Split& split) const {
    double count = 1;
    for (const auto& [over, width] : step.tiles)
      count *= static_cast<double>(extent(over, split) / width);
    return count;
  }
  Index extent(AxisPart axis, const Split& split) const {
    if (axis.part == Part::whole) return problem.middle_extent(axis.dimension);
    return axis.part == Part::first ? split.first : split.second;
  }
  double tile_bytes(const StepCut& step) const {
    double bytes = point_bytes();
    for (int d = 0; d < dimensions(); ++d)
      if (std::ranges::find(step.tiles, AxisPart{d}, &TileLoop::over) == step.tiles.end())
        bytes *= static_cast<double>(problem.middle_extent(d));
    return bytes;
  }

  /// Axes in this order, as many together as a tile of so many bytes holds.
  ArrayCut cut(const std::vector<int>& order, double most_bytes) const {
    ArrayCut cut;
    for (std::size_t i = 0; i < order.size();) {
      std::vector<int> together{order[i++]};
      StepCut best = step(together);
      for (; i < order.size(); ++i) {
        together.push_back(order[i]);
        StepCut wider = step(together);
        if (wider.tiles.empty() || tile_bytes(wider) > most_bytes) break;
        best = std::move(wider);
      }
      cut.steps.push_back(std::move(best));
    }
    return cut;
  }

  /// The slowest complex axis.
  int axis_to_split(const std::vector<int>& order) const {
    return problem.kind == Kind::c2r ? order[order.size() - 2] : order.back();
  }

  /// One sweep of a split cut. The fastest dimension is in each tile: whole if it is transformed,
  /// else as much of it as fits. Nothing where the tile would hold less than a cache line of it.
  std::optional<StepCut> split_step(const std::vector<AxisPart>& axes, const Split& split,
                                    int fastest, double most_bytes) const {
    StepCut step{.axes = axes, .tiles = {}};
    double bytes = point_bytes();
    for (const AxisPart& axis : axes) bytes *= static_cast<double>(extent(axis, split));
    const bool has_first = std::ranges::find(axes, Part::first, &AxisPart::part) != axes.end();
    for (int d = 0; d < dimensions(); ++d) {
      if (d == split.axis) step.tiles.push_back({{d, has_first ? Part::second : Part::first}});
      if (d == split.axis || std::ranges::find(axes, AxisPart{d}) != axes.end()) continue;
      Index width = 1;
      const Index all = problem.half_extent(d);
      for (Index w = 2; d == fastest && w <= std::min<Index>(all, 64); ++w)
        if (all % w == 0 && bytes * static_cast<double>(w) <= most_bytes) width = w;
      if (d == fastest && static_cast<double>(width) * point_bytes() < 64) return std::nullopt;
      if (width < all || all == 1) step.tiles.push_back({{d}, width});
      bytes *= static_cast<double>(width);
    }
    if (bytes > most_bytes) return std::nullopt;
    set_threads(step, split);
    return step;
  }

  /// Cuts of an array in two sweeps, whatever its size: the first takes some axes and a part of the
  /// slowest, the second the rest of that and the other axes.
  void add_split_cuts(std::vector<ArrayCut>& list, double most_bytes) const {
    std::vector<int> others = order();
    if (problem.kind == Kind::r2r || problem.precision == Precision::f16 || others.size() < 3 ||
        problem.is_padded() || problem.extras != problem::Extras{})
      return;
    const int z = axis_to_split(others);
    std::erase(others, z);
    const int fastest = *std::ranges::min_element(others, {}, [&](int d) { return distance(d); });
    const Index n = problem.dimensions[at(z)].n;
    std::vector<std::pair<double, Index>> splits;  // by distance from the square
    for (const auto& [n1, n2] : factor_pairs(n))
      if (n1 > 1 && n2 > 1)
        splits.emplace_back(std::abs(std::log2(static_cast<double>(n1) / static_cast<double>(n2))),
                            n1);
    std::ranges::sort(splits);
    splits.resize(std::min<std::size_t>(splits.size(), 2));
    for (const auto& [lopsided, n1] : splits)
      for (std::size_t before = 1; before < others.size(); ++before) {
        const Split split{z, n1, n / n1};
        std::vector<AxisPart> first, second{{z, Part::second}};
        for (std::size_t i = 0; i < others.size(); ++i)
          (i < before ? first : second).push_back({others[i]});
        first.push_back({z, Part::first});
        const auto one = split_step(first, split, fastest, most_bytes);
        const auto two = split_step(second, split, fastest, most_bytes);
        if (one && two) add_once(list, {split, {*one, *two}});
      }
  }
};

}  // namespace

ArrayCut unfused_cut(const ArrayProblem& problem) {
  const Planner planner{problem, 1};
  return planner.cut(planner.order(), 0);
}

ArrayCut fused_cut(const ArrayProblem& problem, int threads) {
  const Planner planner{problem, threads};
  return planner.cut(planner.order(), planner.most_tile_bytes());
}

std::vector<ArrayCut> candidate_cuts(const ArrayProblem& problem, int threads) {
  const Planner planner{problem, threads};
  std::vector<ArrayCut> list{fused_cut(problem, threads)};
  for (const std::vector<int>& order : planner.orders())
    for (double bytes :
         {planner.most_tile_bytes(), planner.most_wide_tile_bytes(), machine_model().l2.bytes, 0.0})
      add_once(list, planner.cut(order, bytes));
  for (double bytes : {machine_model().l2.bytes / 2, planner.most_tile_bytes()})
    planner.add_split_cuts(list, bytes);
  return list;
}

}  // namespace weft::local
