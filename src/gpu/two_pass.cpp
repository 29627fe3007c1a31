// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/two_pass.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include "base/index.hpp"
#include "gpu/line_pass.hpp"
#include "gpu/packing.hpp"
#include "gpu/tile_geometry.hpp"

namespace weft::gpu {
namespace {

/// The roles of the three axes; other dimensions are batches.
struct Roles {
  int x, cut, whole;  ///< contiguous; shared between the passes; left to the second one
};

std::optional<Roles> roles_of(const Problem& problem, bool cuts_far) {
  if (problem.axes.size() != 3) return std::nullopt;
  std::vector<int> order = axis_order(problem);
  if (problem.kind == Kind::c2r) std::ranges::rotate(order, order.end() - 1);  // x is its last
  const Roles roles =
      cuts_far ? Roles{order[0], order[2], order[1]} : Roles{order[0], order[1], order[2]};
  const Dimension& x = problem.dimensions[at(roles.x)];
  if (x.in != 1 || x.out != 1) return std::nullopt;
  return roles;
}

/// One task per thread in the widest stage, or as many for every thread; the others loop.
int threads_for(const TilePass& pass, const Holding& holding) {
  const Index tasks = ceil_div(tile_points(pass) / pass.cluster, widest_stage(pass));
  const Index most = holding.threads > 0 ? holding.threads : widest_stage(pass) > 16 ? 512 : 1024;
  return static_cast<int>(round_up(ceil_div(tasks, ceil_div(tasks, most)), 32));
}

/// Gaps in shared memory are left where there is room for them: the points decide.
bool fits(const TilePass& pass, const Limits& limits) {
  constexpr int registers = 65536;
  if (block_registers(pass) * pass.blocks_per_sm > registers) return false;
  const auto bytes =
      static_cast<std::size_t>(tile_points(pass) / pass.cluster * shared_element_bytes(pass));
  return (bytes + 1024) * static_cast<std::size_t>(pass.blocks_per_sm) <=
         limits.shared_bytes + 1024;
}

/// Radices and stages of two pieces. Candidates ask for the same ones again and again.
class Packer {
 public:
  /// `leads`: the first stage begins with the second piece, as it must where planes are paired.
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
  const Problem& problem;
  Roles roles;
  Index first, rest = 1;  ///< points of the cut axis in either pass
  bool pairs;             ///< r2c: half as many planes, whole lines of x
  Index planes = 0;
  Index width = 0;  ///< points of a line of x between the passes

  const Dimension& x() const { return problem.dimensions[at(roles.x)]; }
  const Dimension& cut() const { return problem.dimensions[at(roles.cut)]; }
  const Dimension& whole() const { return problem.dimensions[at(roles.whole)]; }
};

std::optional<Split> split_of(const Problem& problem, const TwoPassOptions& options) {
  const auto roles = roles_of(problem, options.cuts_far);
  if (!roles) return std::nullopt;
  Split split{
      .problem = problem, .roles = *roles, .first = options.first_points, .pairs = options.pairs};
  if (split.cut().n % split.first != 0 || split.first == 1) return std::nullopt;
  split.rest = split.cut().n / split.first;
  if (split.pairs && (problem.kind == Kind::c2c || split.whole().n % 2 != 0 || split.rest == 1))
    return std::nullopt;
  if (problem.kind == Kind::c2r && !split.pairs) return std::nullopt;
  split.planes = split.pairs ? split.whole().n / 2 : split.whole().n;
  split.width = split.pairs ? split.x().n : half_extent(problem, roles->x);
  return split;
}

/// The workspace between the passes, which both must agree on: what a tile of the second pass reads
/// lies together. With k1 and n2 the indices of the cut axis between the passes and w that of the
/// whole one it is [k1][w][n2][x] by lines. By columns x and w are cut into blocks,
/// [k1][w block][x block][w][n2][x]: a tile of the second pass then reads pieces of many
/// kilobytes, and one of the first still writes whole sectors.
struct Layout {
  Index rest = 0, whole = 0, k1 = 0;        ///< distances of n2, w and k1
  Blocks x_blocks = {}, whole_blocks = {};  ///< none by lines
  bool is_turned = false;                   ///< x, see turned_place
  Index volume = 0;
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// `run` planes make a block.
Layout layout_of(const Split& split, const TwoPassOptions& options, Index run) {
  const Index columns = options.columns;
  const Index width = options.by_columns ? round_up(split.width, columns) : split.width;
  Layout layout;
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
std::vector<Loop> batch_loops(const Split& split, const Layout& layout, bool is_first) {
  std::vector<Loop> loops;
  Index stride = layout.volume;
  for (int d = static_cast<int>(split.problem.dimensions.size()); d-- > 0;) {
    const Dimension& dim = split.problem.dimensions[at(d)];
    if (d == split.roles.x || d == split.roles.cut || d == split.roles.whole || dim.n == 1)
      continue;
    loops.push_back({dim.n, is_first ? dim.in : stride, is_first ? stride : dim.out});
    stride *= dim.n;
  }
  return loops;
}

/// What is left to say when pieces and loops are known.
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

std::optional<TilePass> first_pass(const Split& split, const Layout& layout,
                                   const TwoPassOptions& options, Packer& packer) {
  const auto& packing = packer.packing({split.x().n, split.first}, options.first, false);
  if (!packing) return std::nullopt;
  TilePass pass;
  const bool is_real = split.problem.kind == Kind::r2c && !split.pairs;
  const RealSide real = is_real ? RealSide::input : RealSide::none;
  pass.pieces = {{packing->radices[0], 1, 1, 0, -1, false, real, {}, {}, layout.x_blocks},
                 {packing->radices[1],
                  split.rest * split.cut().in,
                  layout.k1,
                  0,
                  -1,
                  false,
                  RealSide::none,
                  {}}};
  const Index run = layout.whole_blocks ? layout.whole_blocks.length : split.planes;
  pass.loops = {{split.rest, split.cut().in, layout.rest}, {run, split.whole().in, layout.whole}};
  if (layout.whole_blocks)
    pass.loops.push_back({split.planes / run, run * split.whole().in, layout.whole_blocks.jump});
  pass.pieces[0].out_turned = layout.is_turned;
  pass.pair = split.pairs ? split.planes * split.whole().in : 0;
  const auto batches = batch_loops(split, layout, true);
  pass.loops.insert(pass.loops.end(), batches.begin(), batches.end());
  complete(pass, split, *packing, options.first, options);
  return pass;
}

/// c2r: the second pass, over x and the rest of the cut axis.
std::optional<TilePass> last_pass(const Split& split, const Layout& layout,
                                  const TwoPassOptions& options, Packer& packer) {
  const auto& packing = packer.packing({split.x().n, split.first}, options.first, false);
  if (!packing) return std::nullopt;
  TilePass pass;
  pass.pieces = {{packing->radices[0], 1, 1, 0, -1, false, RealSide::none, {}, layout.x_blocks},
                 {packing->radices[1], layout.k1, split.rest * split.cut().out}};
  const Index run = layout.whole_blocks ? layout.whole_blocks.length : split.planes;
  pass.loops = {{split.rest, layout.rest, split.cut().out}, {run, layout.whole, split.whole().out}};
  if (layout.whole_blocks)
    pass.loops.push_back({split.planes / run, layout.whole_blocks.jump, run * split.whole().out});
  pass.pieces[0].in_turned = layout.is_turned;
  pass.out_pair = split.planes * split.whole().out;
  const auto batches = batch_loops(split, layout, false);
  pass.loops.insert(pass.loops.end(), batches.begin(), batches.end());
  pass.is_reversed = options.is_reversed;
  complete(pass, split, *packing, options.first, options);
  return pass;
}

/// The pass over columns says how the workspace lies.
struct ColumnPass {
  TilePass pass;
  Layout layout;
};

/// c2r: the first pass, which takes the whole axis and a part of the cut one.
std::optional<ColumnPass> tangling_pass(const Split& split, const TwoPassOptions& options,
                                        Packer& packer) {
  const Dimension &cut = split.cut(), &whole = split.whole();
  const auto& packing = packer.packing({split.rest, whole.n}, options.second, false);
  if (!packing || packing->radices[1].back() % 2 != 0) return std::nullopt;
  const Index run = packing->radices[1].size() > 1 ? packing->radices[1].front() : split.planes;
  const Layout layout = layout_of(split, options, run);
  TilePass pass;
  pass.loops = {{half_extent(split.problem, split.roles.x), 1, 1, options.columns, split.x().n, 0,
                 layout.x_blocks.jump},
                {split.first, cut.in, layout.k1, 1, split.first}};
  const auto batches = batch_loops(split, layout, true);
  pass.loops.insert(pass.loops.end(), batches.begin(), batches.end());
  pass.pieces = {{packing->radices[0], split.first * cut.in, layout.rest, cut.n, 1, true},
                 {packing->radices[1],
                  whole.in,
                  layout.whole,
                  0,
                  -1,
                  false,
                  RealSide::none,
                  {},
                  {},
                  layout.whole_blocks}};
  pass.loops.front().is_turned = layout.is_turned;
  pass.tangles = true;
  complete(pass, split, *packing, options.second, options);
  return ColumnPass{pass, layout};
}

std::optional<ColumnPass> second_pass(const Split& split, const TwoPassOptions& options,
                                      Packer& packer) {
  const Dimension &cut = split.cut(), &whole = split.whole();
  auto packing = packer.packing({split.rest, whole.n}, options.second, split.pairs);
  if (!packing || (split.pairs && packing->radices[1][0] % 2 != 0)) return std::nullopt;
  const Index run = packing->radices[1].size() > 1 ? packing->radices[1].back() : split.planes;
  const Layout layout = layout_of(split, options, run);
  TilePass pass;
  pass.loops = {{half_extent(split.problem, split.roles.x), 1, 1, options.columns,
                 split.pairs ? split.x().n : 0, layout.x_blocks.jump},
                {split.first, layout.k1, cut.out, 1, split.pairs ? split.first : 0}};
  const auto batches = batch_loops(split, layout, false);
  pass.loops.insert(pass.loops.end(), batches.begin(), batches.end());
  const Piece of_cut{packing->radices[0], layout.rest, split.first * cut.out, cut.n, 1, false,
                     RealSide::none,      {}};
  const Piece of_whole{packing->radices[1], layout.whole, whole.out,          0, -1, false,
                       RealSide::none,      {},           layout.whole_blocks};
  pass.pieces = {of_cut, of_whole};
  if (split.rest == 1) {
    pass.pieces = {of_whole};
    for (Stage& stage : packing->stages)
      for (DigitName& digit : stage) digit.piece = 0;
  }
  pass.loops.front().is_turned = layout.is_turned;
  pass.is_reversed = options.is_reversed;
  complete(pass, split, *packing, options.second, options);
  return ColumnPass{pass, layout};
}

bool ends_with_x(const Split& split) { return split.problem.kind == Kind::c2r; }

std::optional<ColumnPass> column_pass(const Split& split, const TwoPassOptions& options,
                                      Packer& packer) {
  return ends_with_x(split) ? tangling_pass(split, options, packer)
                            : second_pass(split, options, packer);
}
std::optional<TilePass> x_pass(const Split& split, const Layout& layout,
                               const TwoPassOptions& options, Packer& packer) {
  return ends_with_x(split) ? last_pass(split, layout, options, packer)
                            : first_pass(split, layout, options, packer);
}

Recipe joined(const Split& split, const TilePass& along_x, const ColumnPass& columns) {
  Index volumes = 1;
  for (const Loop& loop : batch_loops(split, columns.layout, true)) volumes *= loop.count;
  const bool reverse = ends_with_x(split);
  Recipe recipe{{{reverse ? columns.pass : along_x, Place::input, Place::workspace},
                 {reverse ? along_x : columns.pass, Place::workspace, Place::output}},
                volumes * columns.layout.volume};
  leave_scale_to_last(recipe, split.problem.scales);
  return recipe;
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
std::vector<Index> first_parts(const Problem& problem, bool cuts_far) {
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
  const Index width = half_extent(split.problem, split.roles.x);
  const Index least = 128 / stored_bytes(split.problem.precision);
  Index best = least;
  for (Index columns = least; columns < 2 * least; ++columns)
    if (round_up(width, columns) < round_up(width, best)) best = columns;
  return static_cast<int>(best);
}

/// All pairs of a first and a second pass that fit the device.
void add_recipes(const Split& split, TwoPassOptions options, const Limits& limits, Packer& packer,
                 std::vector<Recipe>& found) {
  const bool is_double = split.problem.precision == Precision::f64;
  const Index most = is_double ? 8192 : options.half_shared ? 32768 : 16384;
  const Index element = stored_bytes(split.problem.precision);
  std::vector<ColumnPass> seconds;
  for (const int columns : {4, 8, 16, 32, least_wasteful_columns(split)}) {
    if (columns * element < 32 || columns * element >= 256) continue;
    options.columns = columns;
    for (const Holding& holding : holdings(split.rest * split.whole().n * columns, most, is_double,
                                           limits.largest_cluster)) {
      options.second = holding;
      const auto second = column_pass(split, options, packer);
      if (!second || !fits(second->pass, limits)) continue;
      const bool is_known = std::ranges::any_of(
          seconds, [&](const ColumnPass& known) { return known.pass == second->pass; });
      if (!is_known) seconds.push_back(*second);
    }
  }
  std::vector<Layout> layouts;
  for (const ColumnPass& second : seconds)
    if (std::ranges::find(layouts, second.layout) == layouts.end())
      layouts.push_back(second.layout);
  for (const Layout& layout : layouts) {
    std::vector<TilePass> firsts;
    for (const Holding& holding :
         holdings(split.x().n * split.first, most, is_double, limits.largest_cluster)) {
      options.first = holding;
      const auto first = x_pass(split, layout, options, packer);
      if (first && fits(*first, limits) && std::ranges::find(firsts, *first) == firsts.end())
        firsts.push_back(*first);
    }
    for (const TilePass& first : firsts)
      for (const ColumnPass& second : seconds)
        if (second.layout == layout) found.push_back(joined(split, first, second));
  }
}

}  // namespace

std::optional<Recipe> two_pass_recipe(const Problem& problem, const TwoPassOptions& options) {
  const auto split = split_of(problem, options);
  if (!split) return std::nullopt;
  Packer packer;
  const auto second = column_pass(*split, options, packer);
  if (!second) return std::nullopt;
  const auto first = x_pass(*split, second->layout, options, packer);
  if (!first) return std::nullopt;
  return joined(*split, *first, *second);
}

std::vector<Recipe> two_pass_recipes(const Problem& problem, const Limits& limits) {
  std::vector<Recipe> found;
  if (limits.largest_cluster == 1) return found;
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
            if (split && split->rest > 1) add_recipes(*split, options, limits, packer, found);
          }
  }
  return found;
}

}  // namespace weft::gpu
