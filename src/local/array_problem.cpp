// SPDX-License-Identifier: BSD-3-Clause
// Cuts a transform of an array into steps: which axes are done together, over which memory, with
// which loops around them.
#include "local/array_problem.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/index.hpp"

namespace weft::local {

std::string to_text(const ArrayProblem& problem) {
  static constexpr const char* kinds[] = {"c2c", "r2c", "c2r", "r2r"};
  static constexpr const char* precisions[] = {"f16", "f32", "f64"};
  static constexpr const char* r2r_kinds[] = {"dct1", "dct2", "dct3", "dct4", "dst1",
                                              "dst2", "dst3", "dst4", "dht"};
  std::string text = std::string(kinds[static_cast<int>(problem.kind)]) + " " +
                     precisions[static_cast<int>(problem.precision)] +
                     (problem.direction == Direction::forward ? " forward" : " backward") +
                     (problem.scale != 1.0 ? " scaled" : "");
  for (R2r kind : problem.r2r) text += std::string(" ") + r2r_kinds[static_cast<int>(kind)];
  for (const Dimension& d : problem.dimensions)
    text += " " + std::to_string(d.n) + ":" + std::to_string(d.in) + ":" + std::to_string(d.out);
  text += " axes";
  for (int axis : problem.axes) text += " " + std::to_string(axis);
  return text;
}

namespace {

/// Strides of the contiguous half-complex temporary.
std::vector<Index> temporary_strides(const ArrayProblem& problem) {
  std::vector<Index> strides(problem.dimensions.size());
  Index stride = 2;
  for (std::size_t d = strides.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= problem.half_extent(static_cast<int>(d));
  }
  return strides;
}

struct Cutter {
  const ArrayProblem& problem;
  std::vector<Index> temporary = temporary_strides(problem);

  Index stride(int d, Place place) const {
    if (place == Place::temporary) return temporary[at(d)];
    return place == Place::input ? problem.dimensions[at(d)].in : problem.dimensions[at(d)].out;
  }

  /// Axes in the order they run: fastest first; the real axis first for r2c, last for c2r.
  std::vector<int> order() const {
    std::vector<int> axes = problem.axes;
    std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) {
      return std::abs(problem.dimensions[at(a)].out) < std::abs(problem.dimensions[at(b)].out);
    });
    const auto halved = std::find(axes.begin(), axes.end(), problem.halved_axis());
    if (halved != axes.end() && problem.kind == Kind::r2c)
      std::rotate(axes.begin(), halved, halved + 1);
    if (halved != axes.end() && problem.kind == Kind::c2r) {
      std::rotate(halved, halved + 1, axes.end());
    }
    return axes;
  }

  std::pair<Place, Place> places(std::size_t i, std::size_t count) const {
    if (problem.kind != Kind::c2r || count == 1)
      return {i == 0 ? Place::input : Place::output, Place::output};
    return {i == 0 ? Place::input : Place::temporary,
            i + 1 == count ? Place::output : Place::temporary};
  }

  /// Extent of a dimension while `axis` is being transformed.
  Index extent(int d, int axis) const {
    if (problem.halved_axis() < 0) return problem.dimensions[at(d)].n;
    const bool on_real_side = axis == problem.halved_axis() && d == axis;
    return on_real_side ? problem.dimensions[at(d)].n : problem.half_extent(d);
  }

  AxisTask axis_task(int axis, Place from, Place to, const std::vector<int>& tile) const {
    AxisTask task{axis, from, to, {}};
    AxisProblem& p = task.problem;
    const bool is_halved = axis == problem.halved_axis();
    p.kind = is_halved || problem.kind == Kind::r2r ? problem.kind : Kind::c2c;
    if (problem.kind == Kind::r2r) {
      const auto position =
          std::find(problem.axes.begin(), problem.axes.end(), axis) - problem.axes.begin();
      p.r2r = problem.r2r[static_cast<std::size_t>(position)];
    }
    p.n = problem.dimensions[at(axis)].n;
    p.in_row = stride(axis, from);
    p.out_row = stride(axis, to);
    p.half = problem.precision == Precision::f16;
    p.direction = problem.kind == Kind::r2c   ? Direction::forward
                  : problem.kind == Kind::c2r ? Direction::backward
                                              : problem.direction;
    for (int d : tile)
      if (d != axis && extent(d, axis) > 1)
        p.loops.push_back({extent(d, axis), stride(d, from), stride(d, to)});
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
    const Index in_width = p.kind == Kind::r2c || p.kind == Kind::r2r ? 1 : 2;
    const Index out_width = p.kind == Kind::c2r || p.kind == Kind::r2r ? 1 : 2;
    const auto merit = [&](const Loop& loop) {
      const double lanes = static_cast<double>(std::min<Index>(loop.count, 16));
      return lanes * (1 + (loop.in == in_width) + (loop.out == out_width));
    };
    std::size_t best = loops.size();
    for (std::size_t i = loops.size(); i-- > 0;)
      if (best == loops.size() || merit(loops[i]) > merit(loops[best])) best = i;
    if (best < loops.size())
      std::rotate(loops.begin() + static_cast<std::ptrdiff_t>(best),
                  loops.begin() + static_cast<std::ptrdiff_t>(best) + 1, loops.end());
  }

  /// Dimensions that lie within a tile which spans the given axes.
  std::vector<int> tile_dimensions(const std::vector<int>& axes, Place place) const {
    Index widest = 0;
    for (int axis : axes) widest = std::max(widest, std::abs(stride(axis, place)));
    std::vector<int> tile;
    for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d)
      if (std::abs(stride(d, place)) <= widest) tile.push_back(d);
    return tile;
  }
  double tile_bytes(const std::vector<int>& tile) const {
    const double real_bytes = problem.precision == Precision::f64   ? 8
                              : problem.precision == Precision::f32 ? 4
                                                                    : 2;
    double bytes =
        real_bytes * static_cast<double>(std::max(problem.in_width(), problem.out_width()));
    for (int d : tile) bytes *= static_cast<double>(problem.half_extent(d));
    return bytes;
  }
};

}  // namespace

std::vector<TileTask> cut_into_tiles(const ArrayProblem& problem, double tile_bytes) {
  const Cutter cut{problem};
  const std::vector<int> order = cut.order();
  std::vector<int> everything;
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d) everything.push_back(d);
  std::vector<TileTask> tasks;
  for (std::size_t i = 0; i < order.size();) {
    const Place place =
        problem.kind == Kind::c2r && order.size() > 1 ? Place::temporary : Place::output;
    std::vector<int> together{order[i]};
    std::vector<int> tile = everything;
    std::size_t next = i + 1;
    for (; next < order.size(); ++next) {
      std::vector<int> more = together;
      more.push_back(order[next]);
      const auto wider = cut.tile_dimensions(more, place);
      if (wider.size() == everything.size() || cut.tile_bytes(wider) > tile_bytes) break;
      together = more;
      tile = wider;
    }
    TileTask task;
    for (std::size_t j = i; j < next; ++j) {
      const auto [from, to] = cut.places(j, order.size());
      task.axes.push_back(cut.axis_task(order[j], from, to, tile));
    }
    task.axes.back().problem.scale = next == order.size() ? problem.scale : 1.0;
    for (int d : everything)
      if (std::find(tile.begin(), tile.end(), d) == tile.end()) {
        const Index count = problem.half_extent(d);
        task.outer.push_back(
            {count, cut.stride(d, task.axes.front().from), cut.stride(d, task.axes.back().to)});
        task.outer_middle.push_back({count, cut.stride(d, place), cut.stride(d, place)});
      }
    tasks.push_back(std::move(task));
    i = next;
  }
  return tasks;
}

Index temporary_reals(const ArrayProblem& problem) {
  if (problem.kind != Kind::c2r || problem.axes.size() < 2) return 0;
  Index reals = 2;
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d)
    reals = checked_product(reals, problem.half_extent(d), "the half-complex array");
  return reals;
}

}  // namespace weft::local
