// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/two_pass.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include "base/index.hpp"
#include "gpu/recipe/packing.hpp"

namespace weft::gpu {
namespace {

/// The roles of the three axes; other dimensions are batches.
struct Roles {
  int x, cut, whole;  ///< contiguous; shared between the passes; left to the second one
};

std::optional<Roles> roles_of(const ArrayProblem& problem, bool cuts_far) {
  std::vector<int> order = axis_order(problem);
  if (order.size() != 3) return std::nullopt;
  if (problem.kind == Kind::c2r) std::ranges::rotate(order, order.end() - 1);  // x is its last
  const Roles roles =
      cuts_far ? Roles{order[0], order[2], order[1]} : Roles{order[0], order[1], order[2]};
  const Dimension& x = problem.dimensions[at(roles.x)];
  if (x.n == 1 || x.in != problem.in_width() || x.out != problem.out_width()) return std::nullopt;
  return roles;
}

/// One task per thread in the widest stage, or as many for every thread; the others loop.
int threads_for(const TilePass& pass, const Holding& holding) {
  const Index tasks = ceil_div(tile_points(pass) / pass.cluster, widest_stage(pass));
  const Index most = holding.threads > 0 ? holding.threads : widest_stage(pass) > 16 ? 512 : 1024;
  return static_cast<int>(round_up(ceil_div(tasks, ceil_div(tasks, most)), 32));
}

/// Gaps in shared memory are left where there is room for them: the points decide.
bool fits(const TilePass& pass, const DeviceNumbers& numbers) {
  constexpr int registers = 65536;
  if (block_registers(pass) * pass.blocks_per_sm > registers) return false;
  const auto bytes =
      static_cast<std::size_t>(tile_points(pass) / pass.cluster * shared_element_bytes(pass));
  return (bytes + 1024) * static_cast<std::size_t>(pass.blocks_per_sm) <=
         numbers.shared_bytes + 1024;
}

/// Radices and stages of two tile axes. Candidates ask for the same ones again and again.
class Packer {
 public:
  /// `leads`: the first stage begins with the second tile axis, as it must where planes are paired.
  const std::optional<Packing>& packing(const std::vector<Index>& lengths, const Holding& holding,
                                        bool leads) {
    const Key key{lengths, holding.points, holding.cluster, leads};
    const auto [found, is_new] = known_.try_emplace(key);
    if (is_new)
      found->second = leads ? pack_led(lengths, holding.points, holding.cluster)
                            : pack(lengths, holding.points, holding.cluster);
    return found->second;
  }

 private:
  using Key = std::tuple<std::vector<Index>, int, int, bool>;
  std::map<Key, std::optional<Packing>> known_;
};

/// Which axes, and how one of them is cut.
struct Split {
  const ArrayProblem& problem;
  Roles roles;
  Index first, rest = 1;  ///< points of the cut axis in either pass
  bool pairs;             ///< r2c: half as many planes, whole lines of x
  Index planes = 0;
  Index width = 0;  ///< points of a line of x between the passes

  std::vector<Dimension> dimensions = dimensions_in_elements(problem);
  const Dimension& x() const { return dimensions[at(roles.x)]; }
  const Dimension& cut() const { return dimensions[at(roles.cut)]; }
  const Dimension& whole() const { return dimensions[at(roles.whole)]; }
};

std::optional<Split> split_of(const ArrayProblem& problem, const TwoPassOptions& options) {
  const auto roles = roles_of(problem, options.cuts_far);
  if (!roles) return std::nullopt;
  Split split{
      .problem = problem, .roles = *roles, .first = options.first_points, .pairs = options.pairs};
  if (split.cut().n % split.first != 0 || split.first == 1) return std::nullopt;
  split.rest = split.cut().n / split.first;
  if (split.rest == 1) return std::nullopt;
  if (split.pairs && (problem.kind == Kind::c2c || split.whole().n % 2 != 0)) return std::nullopt;
  if (problem.kind == Kind::c2r && !split.pairs) return std::nullopt;
  split.planes = split.pairs ? split.whole().n / 2 : split.whole().n;
  split.width = split.pairs ? split.x().n : problem.half_extent(roles->x);
  return split;
}

/// The workspace between the passes, which both must agree on: what a tile of the second pass reads
/// lies together. With k1 and n2 the indices of the cut axis between the passes and w that of the
/// whole one it is [k1][w][n2][x] by lines. By columns x and w are cut into blocks,
/// [k1][w block][x block][w][n2][x]: a tile of the second pass then reads runs of many
/// kilobytes, and one of the first still writes whole sectors.
struct MiddleLayout {
  Index rest = 0, whole = 0, k1 = 0;        ///< distances of n2, w and k1
  Blocks x_blocks = {}, whole_blocks = {};  ///< none by lines
  bool is_turned = false;                   ///< x, see turned_place
  Index volume = 0;
  friend bool operator==(const MiddleLayout&, const MiddleLayout&) = default;
};

/// `run` planes make a block.
MiddleLayout layout_of(const Split& split, const TwoPassOptions& options, Index run) {
  const Index columns = options.columns;
  const Index width = options.by_columns ? round_up(split.width, columns) : split.width;
  MiddleLayout layout;
  layout.rest = options.by_columns ? columns : width;
  layout.whole = split.rest * layout.rest;
  if (options.by_columns) {
    layout.x_blocks = {columns, run * layout.whole};
    if (run < split.planes) layout.whole_blocks = {run, run * split.rest * width};
  }
  layout.is_turned = split.pairs && split.x().n % 2 == 0;
  layout.k1 = split.planes * split.rest * width;
  layout.volume = split.first * layout.k1;
  return layout;
}

/// The other dimensions; in the workspace their volumes lie one after another.
std::vector<Loop> batch_loops(const Split& split, const MiddleLayout& layout, bool is_first) {
  std::vector<Loop> loops;
  Index stride = layout.volume;
  for (int d = static_cast<int>(split.problem.dimensions.size()); d-- > 0;) {
    const Dimension& dim = split.dimensions[at(d)];
    if (d == split.roles.x || d == split.roles.cut || d == split.roles.whole || dim.n == 1)
      continue;
    loops.push_back({dim.n, is_first ? dim.in : stride, is_first ? stride : dim.out});
    stride *= dim.n;
  }
  return loops;
}

/// What is left to say when tile axes and loops are known.
void complete(TilePass& pass, const Split& split, const Packing& packing, const Holding& holding,
              const TwoPassOptions& options) {
  pass.precision = split.problem.precision;
  pass.direction = split.problem.direction;
  pass.stages = packing.stages;
  pass.cluster = holding.cluster;
  pass.blocks_per_sm = holding.blocks;
  pass.half_shared = options.half_shared;
  pass.threads = threads_for(pass, holding);
}

TilePass first_pass(const Split& split, const MiddleLayout& layout, const TwoPassOptions& options,
                    const Packing& packing) {
  TilePass pass;
  const bool is_real = split.problem.kind == Kind::r2c && !split.pairs;
  pass.tile_axes = {
      {.radices = packing.radices[0],
       .real = is_real ? RealSide::input : RealSide::none,
       .out_blocks = layout.x_blocks,
       .out_turned = layout.is_turned},
      {.radices = packing.radices[1], .in = split.rest * split.cut().in, .out = layout.k1}};
  const Index run = layout.whole_blocks ? layout.whole_blocks.length : split.planes;
  pass.loops = {{split.rest, split.cut().in, layout.rest}, {run, split.whole().in, layout.whole}};
  if (layout.whole_blocks)
    pass.loops.push_back({split.planes / run, run * split.whole().in, layout.whole_blocks.jump});
  pass.pair = split.pairs ? split.planes * split.whole().in : 0;
  const auto batches = batch_loops(split, layout, true);
  pass.loops.insert(pass.loops.end(), batches.begin(), batches.end());
  complete(pass, split, packing, options.first, options);
  return pass;
}

/// c2r: the second pass, over x and the rest of the cut axis.
TilePass last_pass(const Split& split, const MiddleLayout& layout, const TwoPassOptions& options,
                   const Packing& packing) {
  TilePass pass;
  pass.tile_axes = {
      {.radices = packing.radices[0], .in_blocks = layout.x_blocks, .in_turned = layout.is_turned},
      {.radices = packing.radices[1], .in = layout.k1, .out = split.rest * split.cut().out}};
  const Index run = layout.whole_blocks ? layout.whole_blocks.length : split.planes;
  pass.loops = {{split.rest, layout.rest, split.cut().out}, {run, layout.whole, split.whole().out}};
  if (layout.whole_blocks)
    pass.loops.push_back({split.planes / run, layout.whole_blocks.jump, run * split.whole().out});
  pass.out_pair = split.planes * split.whole().out;
  const auto batches = batch_loops(split, layout, false);
  pass.loops.insert(pass.loops.end(), batches.begin(), batches.end());
  pass.is_reversed = options.is_reversed;
  complete(pass, split, packing, options.first, options);
  return pass;
}

/// The pass over columns says how the workspace lies.
struct ColumnPass {
  TilePass pass;
  MiddleLayout layout;
};

/// c2r: the first pass, which takes the whole axis and a part of the cut one.
std::optional<ColumnPass> tangling_pass(const Split& split, const TwoPassOptions& options,
                                        const Packing& packing) {
  const Dimension &cut = split.cut(), &whole = split.whole();
  if (packing.radices[1].back() % 2 != 0) return std::nullopt;
  const Index run = packing.radices[1].size() > 1 ? packing.radices[1].front() : split.planes;
  const MiddleLayout layout = layout_of(split, options, run);
  TilePass pass;
  pass.loops = {{.count = split.problem.half_extent(split.roles.x),
                 .in = 1,
                 .out = 1,
                 .tile = options.columns,
                 .mirror = split.x().n,
                 .out_far = layout.x_blocks.jump,
                 .is_turned = layout.is_turned},
                {.count = split.first, .in = cut.in, .out = layout.k1, .mirror = split.first}};
  const auto batches = batch_loops(split, layout, true);
  pass.loops.insert(pass.loops.end(), batches.begin(), batches.end());
  pass.tile_axes = {{.radices = packing.radices[0],
                     .in = split.first * cut.in,
                     .out = layout.rest,
                     .whole = cut.n,
                     .loop = 1,
                     .is_first_part = true},
                    {.radices = packing.radices[1],
                     .in = whole.in,
                     .out = layout.whole,
                     .out_blocks = layout.whole_blocks}};
  pass.tangles = true;
  complete(pass, split, packing, options.second, options);
  return ColumnPass{pass, layout};
}

std::optional<ColumnPass> second_pass(const Split& split, const TwoPassOptions& options,
                                      const Packing& packing) {
  const Dimension &cut = split.cut(), &whole = split.whole();
  if (split.pairs && packing.radices[1][0] % 2 != 0) return std::nullopt;
  const Index run = packing.radices[1].size() > 1 ? packing.radices[1].back() : split.planes;
  const MiddleLayout layout = layout_of(split, options, run);
  TilePass pass;
  pass.loops = {{.count = split.problem.half_extent(split.roles.x),
                 .in = 1,
                 .out = 1,
                 .tile = options.columns,
                 .mirror = split.pairs ? split.x().n : 0,
                 .in_far = layout.x_blocks.jump,
                 .is_turned = layout.is_turned},
                {.count = split.first,
                 .in = layout.k1,
                 .out = cut.out,
                 .mirror = split.pairs ? split.first : 0}};
  const auto batches = batch_loops(split, layout, false);
  pass.loops.insert(pass.loops.end(), batches.begin(), batches.end());
  pass.tile_axes = {{.radices = packing.radices[0],
                     .in = layout.rest,
                     .out = split.first * cut.out,
                     .whole = cut.n,
                     .loop = 1},
                    {.radices = packing.radices[1],
                     .in = layout.whole,
                     .out = whole.out,
                     .in_blocks = layout.whole_blocks}};
  pass.is_reversed = options.is_reversed;
  complete(pass, split, packing, options.second, options);
  return ColumnPass{pass, layout};
}

bool ends_with_x(const Split& split) { return split.problem.kind == Kind::c2r; }

std::optional<ColumnPass> column_pass(const Split& split, const TwoPassOptions& options,
                                      const Packing& packing) {
  return ends_with_x(split) ? tangling_pass(split, options, packing)
                            : second_pass(split, options, packing);
}
std::optional<ColumnPass> column_pass(const Split& split, const TwoPassOptions& options,
                                      Packer& packer) {
  const auto& packing = packer.packing({split.rest, split.whole().n}, options.second,
                                       split.pairs && !ends_with_x(split));
  return packing ? column_pass(split, options, *packing) : std::nullopt;
}
TilePass x_pass(const Split& split, const MiddleLayout& layout, const TwoPassOptions& options,
                const Packing& packing) {
  return ends_with_x(split) ? last_pass(split, layout, options, packing)
                            : first_pass(split, layout, options, packing);
}
std::optional<TilePass> x_pass(const Split& split, const MiddleLayout& layout,
                               const TwoPassOptions& options, Packer& packer) {
  const auto& packing = packer.packing({split.x().n, split.first}, options.first, false);
  if (!packing) return std::nullopt;
  return x_pass(split, layout, options, *packing);
}

Recipe joined(const Split& split, const TilePass& along_x, const ColumnPass& columns) {
  Index volumes = 1;
  for (const Loop& loop : batch_loops(split, columns.layout, true)) volumes *= loop.count;
  const bool reverse = ends_with_x(split);
  Recipe recipe{{{reverse ? columns.pass : along_x, Place::input, Place::workspace},
                 {reverse ? along_x : columns.pass, Place::workspace, Place::output}},
                volumes * columns.layout.volume};
  leave_scale_to_last(recipe, split.problem.scale != 1);
  return recipe;
}

/// The options that a recipe of two passes was made with, but for how its tiles are held.
TwoPassOptions options_of(const TilePass& along_x, const TilePass& columns) {
  TwoPassOptions options;
  options.first_points = along_x.tile_axes[1].n();
  options.columns = columns.loops[0].tile;
  options.is_reversed = along_x.is_reversed || columns.is_reversed;
  options.half_shared = along_x.half_shared;
  options.pairs = along_x.pair > 0 || along_x.out_pair > 0;
  options.by_columns = columns.loops[0].in_far > 0 || columns.loops[0].out_far > 0;
  return options;
}

Packing packing_of(const TilePass& pass) {
  return {{pass.tile_axes[0].radices, pass.tile_axes[1].radices}, pass.stages};
}

void hold_like(const TilePass& given, TilePass& pass) {
  pass.threads = given.threads;
  pass.cluster = given.cluster;
  pass.blocks_per_sm = given.blocks_per_sm;
}

/// Ways to hold a tile of so many points: by blocks of 64 or of 32 KiB, with few points to a thread
/// or many. `most` points fill 128 KiB.
std::vector<Holding> holdings(Index tile, Index most, bool is_double, int largest_cluster) {
  std::vector<Holding> found;
  const int points = is_double ? 16 : 32;
  const auto add = [&](Index held, Holding holding) {
    while (holding.cluster * held < tile) holding.cluster *= 2;
    if (holding.cluster <= largest_cluster) found.push_back(holding);
  };
  add(most / 2, {1, points, 2, 256});
  add(most / 2, {1, points, 3, 128});
  add(most / 2, {1, 16, 3, 256});
  add(most / 2, {1, 2 * points, 2, 128});
  add(most / 4, {1, 16, is_double ? 4 : 6, 128});
  if (!is_double) add(most / 4, {1, points, 4, 128});
  add(most / 4, {1, 2 * points, 4, 64});
  return found;
}

/// Into how many points for the first pass the cut axis may fall.
std::vector<Index> first_parts(const ArrayProblem& problem, bool cuts_far) {
  std::vector<Index> parts;
  if (const auto roles = roles_of(problem, cuts_far)) {
    const Index n = problem.dimensions[at(roles->cut)].n;
    for (Index part = 8; part <= 128; ++part)
      if (n % part == 0) parts.push_back(part);
  }
  return parts;
}

/// As many columns between 128 and 256 bytes as leave fewest places of the last tile empty.
int least_wasteful_columns(const Split& split) {
  const Index width = split.problem.half_extent(split.roles.x);
  const Index least = 128 / stored_bytes(split.problem.precision);
  Index best = least;
  for (Index columns = least; columns < 2 * least; ++columns)
    if (round_up(width, columns) < round_up(width, best)) best = columns;
  return static_cast<int>(best);
}

/// All pairs of a first and a second pass that fit the device.
void add_recipes(const Split& split, TwoPassOptions options, const DeviceNumbers& numbers,
                 Packer& packer, std::vector<Recipe>& found) {
  const bool is_double = split.problem.precision == Precision::f64;
  const Index most = is_double ? 8192 : options.half_shared ? 32768 : 16384;
  const Index element = stored_bytes(split.problem.precision);
  std::vector<ColumnPass> seconds;
  for (const int columns : {4, 8, 16, 32, least_wasteful_columns(split)}) {
    if (columns * element < 32 || columns * element >= 256) continue;
    options.columns = columns;
    for (const Holding& holding : holdings(split.rest * split.whole().n * columns, most, is_double,
                                           numbers.largest_cluster)) {
      options.second = holding;
      const auto second = column_pass(split, options, packer);
      if (!second || !fits(second->pass, numbers)) continue;
      const bool is_known = std::ranges::any_of(
          seconds, [&](const ColumnPass& known) { return known.pass == second->pass; });
      if (!is_known) seconds.push_back(*second);
    }
  }
  std::vector<MiddleLayout> layouts;
  for (const ColumnPass& second : seconds)
    if (std::ranges::find(layouts, second.layout) == layouts.end())
      layouts.push_back(second.layout);
  for (const MiddleLayout& layout : layouts) {
    std::vector<TilePass> firsts;
    for (const Holding& holding :
         holdings(split.x().n * split.first, most, is_double, numbers.largest_cluster)) {
      options.first = holding;
      const auto first = x_pass(split, layout, options, packer);
      if (first && fits(*first, numbers) && std::ranges::find(firsts, *first) == firsts.end())
        firsts.push_back(*first);
    }
    for (const TilePass& first : firsts)
      for (const ColumnPass& second : seconds)
        if (second.layout == layout) found.push_back(joined(split, first, second));
  }
}

}  // namespace

std::optional<Recipe> two_pass_recipe(const ArrayProblem& problem, const TwoPassOptions& options) {
  const auto split = split_of(problem, options);
  if (!split) return std::nullopt;
  Packer packer;
  const auto second = column_pass(*split, options, packer);
  if (!second) return std::nullopt;
  const auto first = x_pass(*split, second->layout, options, packer);
  if (!first) return std::nullopt;
  return joined(*split, *first, *second);
}

bool is_two_pass(const ArrayProblem& problem, const Recipe& recipe) {
  constexpr int most_columns = 1024;
  if (recipe.passes.size() != 2 || problem.has_blocks() || problem.is_padded()) return false;
  const bool reverse = problem.kind == Kind::c2r;
  const TilePass &along_x = recipe.passes[reverse ? 1 : 0].pass,
                 &columns = recipe.passes[reverse ? 0 : 1].pass;
  if (along_x.tile_axes.size() != 2 || columns.tile_axes.size() != 2 || columns.loops.empty() ||
      columns.loops[0].tile > most_columns)
    return false;
  TwoPassOptions options = options_of(along_x, columns);
  for (const bool cuts_far : {true, false}) {
    options.cuts_far = cuts_far;
    const auto split = split_of(problem, options);
    if (!split || along_x.tile_axes[0].n() != split->x().n ||
        columns.tile_axes[0].n() != split->rest || columns.tile_axes[1].n() != split->whole().n)
      continue;
    auto second = column_pass(*split, options, packing_of(columns));
    if (!second) continue;
    TilePass first = x_pass(*split, second->layout, options, packing_of(along_x));
    hold_like(along_x, first);
    hold_like(columns, second->pass);
    if (joined(*split, first, *second) == recipe) return true;
  }
  return false;
}

std::vector<Recipe> two_pass_recipes(const ArrayProblem& problem, const DeviceNumbers& numbers) {
  std::vector<Recipe> found;
  if (numbers.largest_cluster == 1) return found;
  TwoPassOptions options;
  Packer packer;
  for (const bool cuts_far : {true, false}) {
    options.cuts_far = cuts_far;
    if (!found.empty()) break;
    for (const bool by_columns : {true, false})
      for (const bool halves : {false, true})
        for (const bool pairs : {false, true})
          for (const Index first : first_parts(problem, cuts_far)) {
            if ((halves && problem.precision != Precision::f16) ||
                (pairs && problem.kind == Kind::c2c))
              continue;
            options.first_points = first;
            options.by_columns = by_columns;
            options.half_shared = halves;
            options.pairs = pairs;
            const auto split = split_of(problem, options);
            if (split) add_recipes(*split, options, numbers, packer, found);
          }
  }
  return found;
}

}  // namespace weft::gpu
