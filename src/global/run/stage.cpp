// SPDX-License-Identifier: BSD-3-Clause
#include "global/run/stage.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/index.hpp"
#include "base/machine.hpp"
#include "global/choose/local_tuner.hpp"
#include "global/line/line_columns.hpp"
#include "global/line/line_twiddles.hpp"
#include "global/run/local_transform.hpp"
#include "reshape/copy.hpp"

namespace weft::global {

using reshape::Bases;
using reshape::Piece;
using reshape::Strides;

namespace {

/// Steps from source to target through at most one buffer in between.
enum class Spot { source, middle, target };

struct Pass {
  LocalTransform transform;
  Spot from, to;
};

/// What a pass does: the tile with the extents that it has by then, and the axes.
struct PassTask {
  Box tile;
  std::vector<int> axes;
  Spot from, to;
  bool is_last;
};

/// How one tile shape is transformed.
struct TilePlan {
  std::vector<Pass> passes;
};

}  // namespace

struct StagePlan::Impl {
  /// A box that is read in tiles, or as a whole when there is one tile.
  struct Region {
    std::vector<Piece> sources, targets;
    bool direct_in = false, direct_out = false;
    std::vector<Box> tiles;          // on the input side
    std::vector<std::size_t> plans;  // of each tile, into `tile_plans`
    bool whole = false;              // one transform over the region, with the executor's threads
    std::unique_ptr<LineColumns> columns;  // instead of tiles
  };
  struct Copy {
    Piece source, target;
  };

  StageProblem problem;
  StageOptions options;
  Index in_bytes, out_bytes;
  std::vector<Region> regions;
  std::vector<Copy> copies;
  std::vector<TilePlan> tile_plans;
  Index buffer_a = 0, buffer_b = 0, workspace = 0;  // bytes per task
  Index whole_workspace = 0;                        // of regions that are transformed as a whole
  bool middle_is_a = true;
  int tasks = 1;
  double flops = 0;
  std::optional<LineTwiddles> twiddles;

  Impl(const StageProblem& p, const StageOptions& o)
      : problem(p),
        options(o),
        in_bytes(in_element_bytes(p.kind, p.precision)),
        out_bytes(out_element_bytes(p.kind, p.precision)),
        middle_is_a(p.kind != Kind::r2c),
        tasks(std::max(1, o.executor->concurrency())) {
    if (problem.twiddled >= 0) twiddles.emplace(p.line, p.direction, p.precision);
    if (problem.axes.empty())
      plan_copies();
    else
      for (const Box& box : problem.in_boxes)
        if (!box.empty()) plan_region(box);
    if (problem.kind == Kind::c2c || problem.kind == Kind::r2r) buffer_b = 0;  // in place
    buffer_a = round_up(buffer_a, 64);
    buffer_b = round_up(buffer_b, 64);
    workspace = round_up(workspace, 64);
  }

  /// A box of the input side as it is on the output side.
  Box out_box(Box box) const {
    for (const int axis : problem.axes) box.end[at(axis)] = problem.out_extent(axis);
    return box;
  }

  /// The box that a buffer of a tile has room for. Strides of padded and cropped axes are the same
  /// before and after their transform, which then works in place.
  Box buffer_box(const Box& tile, bool is_input) const {
    Box box = is_input ? tile : out_box(tile);
    for (const int axis : problem.axes)
      if (axis != problem.halved_axis())
        box.end[at(axis)] = std::max(problem.in_extent(axis), problem.out_extent(axis));
    return box;
  }

  void plan_copies() {
    for (const Piece& source : problem.sources)
      for (const Box& box : problem.in_boxes) {
        const Box here = intersect(source.box, box);
        if (here.empty()) continue;
        for (const Piece& target : problem.targets) {
          const Box part = intersect(here, target.box);
          if (part.empty()) continue;
          const Copy copy{reshape::sub_piece(source, part, in_bytes),
                          reshape::sub_piece(target, part, out_bytes)};
          if (copy.source != copy.target) copies.push_back(copy);  // else it is there
        }
      }
  }

  void plan_region(const Box& box) {
    Region region;
    region.sources = reshape::pieces_within(problem.sources, box, in_bytes);
    region.targets = reshape::pieces_within(problem.targets, out_box(box), out_bytes);
    const auto is_one = [](const std::vector<Piece>& pieces, const Box& whole) {
      return pieces.size() == 1 && pieces[0].box == whole && !pieces[0].conjugate;
    };
    region.direct_in = is_one(region.sources, box);
    region.direct_out = is_one(region.targets, out_box(box));
    const bool several_axes = problem.axes.size() > 1;
    // c2r along several axes needs a complex array in between; in tiles it is a small one.
    const bool needs_middle = several_axes && (options.reproducible || problem.kind == Kind::c2r);
    region.whole = region.direct_in && region.direct_out && !needs_middle && !twiddles;
    if (region.direct_in && region.direct_out && twiddles) plan_columns(box, region);
    if (!region.columns) cut(box, region.whole ? box : tile_shape(box), region);
    regions.push_back(std::move(region));
  }

  void plan_columns(const Box& box, Region& region) {
    const LineColumnsProblem columns{.box = box,
                                     .axis = problem.twiddled,
                                     .in = region.sources[0].strides,
                                     .out = region.targets[0].strides,
                                     .line = problem.line,
                                     .direction = problem.direction,
                                     .precision = problem.precision};
    if (problem.kind != Kind::c2c || problem.axes != std::vector<int>{problem.twiddled} ||
        problem.scale != 1.0 || !LineColumns::can_do(columns))
      return;
    region.columns = std::make_unique<LineColumns>(columns, columns_recipe(columns));
    workspace = std::max(workspace, region.columns->scratch_bytes());
    flops += region.columns->flops();
  }

  local::AxisRecipe columns_recipe(const LineColumnsProblem& columns) const {
    const local::ColumnsProblem local = LineColumns::local_problem(columns);
    return options.tuner ? options.tuner->choose(local, options.executor)
                         : local::choose_columns(local, {.executor = options.executor});
  }

  /// Whole along the axes; the others, fastest first, as far as tile_bytes permit.
  Box tile_shape(const Box& box) const {
    const Index l2 = static_cast<Index>(this_machine().cache_bytes(2));
    const Index limit =
        problem.tile_bytes > 0 ? problem.tile_bytes : std::max<Index>(l2 / 2, 128 * 1024);
    Index bytes = std::max(in_bytes, out_bytes);
    for (int axis : problem.axes)
      bytes *= std::max({problem.in_extent(axis), problem.out_extent(axis), Index{1}});
    Box tile = box;
    bool fastest = true;
    for (int d = box.ndim - 1; d >= 0; --d) {
      if (contains(problem.axes, d)) continue;
      // Short runs waste cache lines and lanes: at least 16 elements along the fastest axis.
      const Index least = fastest && d == box.ndim - 1 ? 16 : 1;
      const Index extent = std::clamp<Index>(limit / std::max<Index>(bytes, 1),
                                             std::min(least, box.extent(d)), box.extent(d));
      tile.end[at(d)] = tile.begin[at(d)] + std::max<Index>(extent, 1);
      bytes *= std::max<Index>(extent, 1);
      fastest = false;
    }
    return tile;
  }

  void cut(const Box& box, const Box& tile, Region& region) {
    std::map<std::vector<Index>, std::size_t> known;
    Box next = tile;
    while (true) {
      const Box clipped = intersect(next, box);
      const auto [found, is_new] = known.try_emplace(clipped.extents(), tile_plans.size());
      if (is_new) plan_tile(clipped, region);
      region.tiles.push_back(clipped);
      region.plans.push_back(found->second);
      for (const Pass& pass : tile_plans[found->second].passes) flops += pass.transform.flops();
      int d = box.ndim - 1;
      for (; d >= 0; --d) {  // the next tile, the last axis fastest
        const Index step = tile.extent(d);
        next.begin[at(d)] += step;
        next.end[at(d)] += step;
        if (next.begin[at(d)] < box.end[at(d)]) break;
        next.begin[at(d)] = tile.begin[at(d)];
        next.end[at(d)] = tile.end[at(d)];
      }
      if (d < 0) return;
    }
  }

  Strides strides_at(Spot spot, const Box& tile, const Region& region) const {
    if (spot == Spot::source && region.direct_in) return region.sources[0].strides;
    if (spot == Spot::target && region.direct_out) return region.targets[0].strides;
    const bool in_side = spot == Spot::source || (spot == Spot::middle && middle_is_a);
    return reshape::dense_strides(buffer_box(tile, in_side));
  }

  void plan_tile(const Box& tile, const Region& region) {
    TilePlan plan;
    if (!options.reproducible || problem.axes.size() == 1) {
      plan.passes.push_back(pass({tile, problem.axes, Spot::source, Spot::target, true}, region));
    } else {
      const std::vector<int>& axes = problem.order;
      Box extents = tile;
      for (std::size_t i = 0; i < axes.size(); ++i) {
        const bool last = i + 1 == axes.size();
        plan.passes.push_back(pass({extents,
                                    {axes[i]},
                                    i == 0 ? Spot::source : Spot::middle,
                                    last ? Spot::target : Spot::middle,
                                    last},
                                   region));
        extents.end[at(axes[i])] = problem.out_extent(axes[i]);
      }
    }
    for (const Pass& p : plan.passes) {
      Index& bytes = region.whole ? whole_workspace : workspace;
      bytes = std::max(bytes, p.transform.workspace_bytes());
    }
    if (!region.whole) {
      buffer_a = std::max(buffer_a, buffer_box(tile, true).count() * in_bytes);
      buffer_b = std::max(buffer_b, buffer_box(tile, false).count() * out_bytes);
    }
    tile_plans.push_back(std::move(plan));
  }

  Pass pass(const PassTask& task, const Region& region) const {
    problem::ArrayProblem p = problem;
    const bool is_halved = contains(task.axes, problem.halved_axis());
    if (!is_halved) p.extras.spectrum = Spectrum::half;
    if (problem.kind != Kind::r2r && !is_halved) p.kind = Kind::c2c;
    if (!task.is_last) p.scale = 1.0;
    p.r2r.clear();
    for (int axis : task.axes)
      if (problem.kind == Kind::r2r)
        p.r2r.push_back(problem.r2r[static_cast<std::size_t>(std::ranges::find(problem.axes, axis) -
                                                             problem.axes.begin())]);
    p.axes = task.axes;
    const Strides in = strides_at(task.from, task.tile, region);
    const Strides out = strides_at(task.to, task.tile, region);
    for (int d = 0; d < task.tile.ndim; ++d) {
      problem::Dimension& dimension = p.dimensions[at(d)];
      if (!contains(task.axes, d)) dimension = {.n = task.tile.extent(d)};
      dimension.in = in[at(d)] * p.in_width();
      dimension.out = out[at(d)] * p.out_width();
    }
    return {LocalTransform(p, options, region.whole ? options.executor : serial_executor()),
            task.from, task.to};
  }

  Index task_bytes() const { return buffer_a + buffer_b + workspace; }
  Index scratch_bytes() const { return std::max(whole_workspace, tasks * task_bytes()); }

  void run_tile(const Region& region, std::size_t i, const Bases& bases, std::byte* scratch) const {
    const Box& tile = region.tiles[i];
    const Box out_tile = out_box(tile);
    std::byte* a = scratch;
    std::byte* b = buffer_b > 0 ? scratch + buffer_a : scratch;
    std::byte* rest = region.whole ? scratch : scratch + buffer_a + buffer_b;
    std::byte* source = region.direct_in ? locate(region.sources[0], tile, in_bytes, bases) : a;
    std::byte* target =
        region.direct_out ? locate(region.targets[0], out_tile, out_bytes, bases) : b;
    if (!region.direct_in)
      move(region.sources, {tile, strides_at(Spot::source, tile, region), in_bytes, a}, bases,
           true);
    const auto spot = [&](Spot s) {
      return s == Spot::source ? source : s == Spot::target ? target : middle_is_a ? a : b;
    };
    for (const Pass& pass : tile_plans[region.plans[i]].passes)
      pass.transform.execute(spot(pass.from), spot(pass.to), rest);
    if (twiddles)
      twiddles->multiply(out_tile, target, strides_at(Spot::target, tile, region),
                         problem.twiddled);
    if (!region.direct_out)
      move(region.targets, {out_tile, strides_at(Spot::target, tile, region), out_bytes, b}, bases,
           false);
  }

  static std::byte* locate(const Piece& piece, const Box& tile, Index bytes, const Bases& bases) {
    return piece.data(bases) + reshape::distance(piece.box, piece.strides, tile) * bytes;
  }

  /// A tile in its buffer.
  struct Buffered {
    Box tile;
    Strides strides;
    Index element_bytes;
    std::byte* data;
  };

  /// Between the buffer and the pieces that hold the tile's elements.
  static void move(const std::vector<Piece>& pieces, const Buffered& buffer, const Bases& bases,
                   bool gather) {
    const Index bytes = buffer.element_bytes;
    for (const Piece& piece : pieces) {
      const Box part = intersect(piece.box, buffer.tile);
      if (part.empty()) continue;
      std::byte* there = locate(piece, part, bytes, bases);
      std::byte* here = buffer.data + reshape::distance(buffer.tile, buffer.strides, part) * bytes;
      const auto copy = piece.conjugate ? reshape::conjugate_box : reshape::copy_box;
      if (gather)
        copy(part, there, piece.strides, here, buffer.strides, bytes);
      else
        copy(part, here, buffer.strides, there, piece.strides, bytes);
    }
  }

  void run(const Bases& bases, std::byte* scratch) const {
    run_copies(bases);
    for (const Region& region : regions) {
      if (region.columns) {
        run_columns(region, bases, scratch);
        continue;
      }
      const Index tiles = static_cast<Index>(region.tiles.size());
      if (region.whole || tasks == 1 || tiles == 1) {
        for (Index i = 0; i < tiles; ++i)
          run_tile(region, static_cast<std::size_t>(i), bases, scratch);
        continue;
      }
      const int used = static_cast<int>(std::min<Index>(tasks, tiles));
      options.executor->run(used, [&](int task) {
        for (Index i = tiles * task / used; i < tiles * (task + 1) / used; ++i)
          run_tile(region, static_cast<std::size_t>(i), bases, scratch + task * task_bytes());
      });
    }
  }

  void run_columns(const Region& region, const Bases& bases, std::byte* scratch) const {
    const std::byte* in = region.sources[0].data(bases);
    std::byte* out = region.targets[0].data(bases);
    const Index units = region.columns->units();
    const int used = static_cast<int>(std::min<Index>(tasks, units));
    if (used == 1) return region.columns->run(0, units, in, out, scratch);
    options.executor->run(used, [&](int task) {
      region.columns->run(units * task / used, units * (task + 1) / used, in, out,
                          scratch + task * task_bytes());
    });
  }

  void run_copies(const Bases& bases) const {
    const auto run_one = [&](const Box& part, const Copy& copy) {
      const bool conjugates = copy.source.conjugate != copy.target.conjugate;
      const auto carry = conjugates ? reshape::conjugate_box : reshape::copy_box;
      carry(part, locate(copy.source, part, in_bytes, bases), copy.source.strides,
            locate(copy.target, part, out_bytes, bases), copy.target.strides, in_bytes);
    };
    for (const Copy& copy : copies) {
      const Box& box = copy.source.box;
      int widest = 0;  // threads share the axis with the most indices among the slow ones
      for (int d = 1; d < box.ndim - 1; ++d)
        if (box.extent(d) > 2 * box.extent(widest)) widest = d;
      const int used = static_cast<int>(std::min<Index>(tasks, box.extent(widest)));
      if (used == 1) {
        run_one(box, copy);
        continue;
      }
      options.executor->run(used, [&](int task) {
        Box part = box;
        const auto [begin, end] = split_evenly(box.extent(widest), used, task);
        part.begin[at(widest)] = box.begin[at(widest)] + begin;
        part.end[at(widest)] = box.begin[at(widest)] + end;
        run_one(part, copy);
      });
    }
  }
};

StagePlan::StagePlan(const StageProblem& problem, const StageOptions& options)
    : impl_(std::make_unique<Impl>(problem, options)) {}
StagePlan::~StagePlan() = default;
StagePlan::StagePlan(StagePlan&&) noexcept = default;

void StagePlan::run(const Bases& bases, std::byte* scratch) const { impl_->run(bases, scratch); }
Index StagePlan::scratch_bytes() const { return impl_->scratch_bytes(); }
double StagePlan::flops() const { return impl_->flops; }

}  // namespace weft::global
