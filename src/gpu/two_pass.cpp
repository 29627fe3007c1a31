// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/two_pass.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/index.hpp"
#include "gpu/line_pass.hpp"
#include "gpu/packing.hpp"
#include "gpu/tile_geometry.hpp"

namespace weft::gpu {
namespace {

/// The roles of the three axes; other dimensions are batches.
struct Roles {
  int x, y, z;
};

std::optional<Roles> roles_of(const Problem& problem) {
  if (problem.axes.size() != 3 || problem.kind == Kind::c2r) return std::nullopt;
  const std::vector<int> order = axis_order(problem);
  const Roles roles{order[0], order[1], order[2]};
  const Dimension& x = problem.dimensions[at(roles.x)];
  if (x.in != 1 || x.out != 1) return std::nullopt;
  return roles;
}

std::vector<Loop> batch_loops(const Problem& problem, const Roles& roles,
                              const std::vector<Index>& workspace, bool is_first) {
  std::vector<Loop> loops;
  for (int d = static_cast<int>(problem.dimensions.size()); d-- > 0;) {
    if (d == roles.x || d == roles.y || d == roles.z || problem.dimensions[at(d)].n == 1) continue;
    const Dimension& dim = problem.dimensions[at(d)];
    loops.push_back(
        {dim.n, is_first ? dim.in : workspace[at(d)], is_first ? workspace[at(d)] : dim.out});
  }
  return loops;
}

/// Points that a thread holds in the widest stage.
Index widest_stage(const TilePass& pass) {
  Index widest = 1;
  for (const Stage& stage : pass.stages) {
    Index points = 1;
    for (const DigitName& d : stage) points *= pass.pieces[at(d.piece)].radices[at(d.position)];
    widest = std::max(widest, points);
  }
  return widest;
}

/// One task per thread in the widest stage; the others loop. Parts leave each thread half of a
/// block's registers at least.
int threads_for(const TilePass& pass, const Holding& holding) {
  if (holding.threads > 0) return holding.threads;
  Index points = 1;
  for (const Piece& piece : pass.pieces) points *= piece.n();
  for (const Loop& loop : pass.loops) points *= loop.tile;
  const Index threads = round_up(points / pass.cluster / widest_stage(pass), 32);
  const Index most = pass.parts > 1 || widest_stage(pass) > 16 ? 512 : 1024;
  return static_cast<int>(std::clamp<Index>(threads, 32, most));
}

/// What of the waiting parts shared memory has no room for stays in registers. Nothing where the
/// threads do not share the points evenly.
bool park(TilePass& pass, std::size_t shared_bytes) {
  Index tasks = 1;
  for (const Piece& piece : pass.pieces) tasks *= piece.n();
  for (const Loop& loop : pass.loops) tasks *= loop.tile;
  for (const DigitName& d : pass.stages.front())
    tasks /= pass.pieces[at(d.piece)].radices[at(d.position)];
  pass.threads = static_cast<int>(std::min<Index>(pass.threads, tasks));
  if (tasks % pass.threads != 0) return false;
  const Geometry geometry(pass);
  const Index bytes = static_cast<Index>(geometry.shared_bytes());
  const Index element =
      bytes / (geometry.shared_points() + geometry.parked_per_thread() * pass.threads);
  const auto room =
      static_cast<Index>((shared_bytes + 1024) / static_cast<std::size_t>(pass.blocks_per_sm));
  const Index missing = bytes - (room - 1024);
  pass.parked_registers =
      static_cast<int>(std::max<Index>(0, ceil_div(missing, element * pass.threads)));
  return pass.parked_registers <= geometry.parked_per_thread();
}

bool fits(const TilePass& pass, const Limits& limits) {
  constexpr int registers = 65536;
  const Geometry geometry(pass);
  const auto blocks = static_cast<std::size_t>(pass.blocks_per_sm);
  const Index words = pass.precision == Precision::f64 ? 8 : 4;  // data, and as many again
  return (geometry.shared_bytes() + 1024) * blocks <= limits.shared_bytes + 1024 &&
         widest_stage(pass) * words * pass.threads * pass.blocks_per_sm <= registers;
}

/// Radices and stages of two pieces; `lead` is the one that the first stage begins with where the
/// tile is held in parts or planes are paired.
std::optional<Packing> packing_of(const std::vector<Index>& lengths, const Holding& holding,
                                  int lead, bool leads) {
  if (holding.parts > 1 || leads)
    return pack_led(lengths, lead, holding.parts, holding.cluster, holding.points);
  return pack(lengths, holding.points, holding.cluster);
}

/// What both passes must agree on. The workspace between them is [k1 of y][z][n2 of y][x]: what a
/// tile of the second pass reads lies together.
struct Split {
  const Problem& problem;
  Roles roles;
  Index ya, yb = 1;  ///< y = ya yb
  bool pairs;        ///< r2c: half as many planes, whole lines of x
  Index planes = 0;
  Index wy = 0, wz = 0, wk = 0;  ///< distances in the workspace

  const Dimension& x() const { return problem.dimensions[at(roles.x)]; }
  const Dimension& y() const { return problem.dimensions[at(roles.y)]; }
  const Dimension& z() const { return problem.dimensions[at(roles.z)]; }
};

std::optional<Split> split_of(const Problem& problem, const TwoPassOptions& options) {
  const auto roles = roles_of(problem);
  if (!roles) return std::nullopt;
  Split split{.problem = problem, .roles = *roles, .ya = options.first_y, .pairs = options.pairs};
  if (split.y().n % split.ya != 0 || split.ya == 1) return std::nullopt;
  split.yb = split.y().n / split.ya;
  if (split.pairs && (problem.kind != Kind::r2c || split.z().n % 2 != 0 || split.yb == 1))
    return std::nullopt;
  split.planes = split.pairs ? split.z().n / 2 : split.z().n;
  split.wy = split.pairs ? split.x().n : half_extent(problem, roles->x);
  split.wz = split.yb * split.wy;
  split.wk = split.planes * split.wz;
  return split;
}

/// What is left to say when pieces and loops are known; false where that contradicts itself.
bool complete(TilePass& pass, const Split& split, const Packing& packing, const Holding& holding,
              const TwoPassOptions& options, bool is_first) {
  pass.precision = split.problem.precision;
  pass.direction = split.problem.direction;
  pass.stages = packing.stages;
  pass.cluster = holding.cluster;
  pass.parts = holding.parts;
  pass.blocks_per_sm = holding.blocks;
  pass.half_shared = options.half_shared;
  const auto batches =
      batch_loops(split.problem, split.roles, workspace_strides(split.problem), is_first);
  pass.loops.insert(pass.loops.end(), batches.begin(), batches.end());
  pass.threads = threads_for(pass, holding);
  return pass.parts == 1 || park(pass, options.shared_bytes);
}

std::optional<TilePass> first_pass(const Split& split, const TwoPassOptions& options) {
  const auto packing = packing_of({split.x().n, split.ya}, options.first, 0, false);
  if (!packing) return std::nullopt;
  TilePass pass;
  const bool is_real = split.problem.kind == Kind::r2c && !split.pairs;
  const RealSide real = is_real ? RealSide::input : RealSide::none;
  pass.pieces = {
      {packing->radices[0], 1, 1, 0, -1, false, real, {}},
      {packing->radices[1], split.yb * split.y().in, split.wk, 0, -1, false, RealSide::none, {}}};
  pass.loops = {{split.yb, split.y().in, split.wy}, {split.planes, split.z().in, split.wz}};
  pass.pair = split.pairs ? split.planes * split.z().in : 0;
  if (!complete(pass, split, *packing, options.first, options, true)) return std::nullopt;
  return pass;
}

std::optional<TilePass> second_pass(const Split& split, const TwoPassOptions& options) {
  const Dimension &y = split.y(), &z = split.z();
  if (options.second.parts > 1 && split.yb == 1) return std::nullopt;
  auto packing = packing_of({split.yb, z.n}, options.second, 1, split.pairs);
  if (!packing || (split.pairs && packing->radices[1][0] % 2 != 0)) return std::nullopt;
  TilePass pass;
  const Index columns = half_extent(split.problem, split.roles.x);
  pass.loops = {{columns, 1, 1, options.columns, split.pairs ? split.x().n : 0},
                {split.ya, split.wk, y.out, 1, split.pairs ? split.ya : 0}};
  const Piece of_y{packing->radices[0], split.wy, split.ya * y.out, y.n, 1, false,
                   RealSide::none,      {}};
  const Piece of_z{packing->radices[1], split.wz, z.out, 0, -1, false, RealSide::none, {}};
  pass.pieces = {of_y, of_z};
  if (split.yb == 1) {
    pass.pieces = {of_z};
    for (Stage& stage : packing->stages)
      for (DigitName& digit : stage) digit.piece = 0;
  }
  pass.is_reversed = options.is_reversed;
  if (!complete(pass, split, *packing, options.second, options, false)) return std::nullopt;
  return pass;
}

Recipe joined(const Problem& problem, const TilePass& first, const TilePass& second) {
  return {{{first, Place::input, Place::workspace}, {second, Place::workspace, Place::output}},
          half_count(problem)};
}

/// Ways to hold a tile of so many points: a block or a cluster, two blocks or one to a
/// multiprocessor, or in parts. `most` points fill most of a multiprocessor's shared memory.
std::vector<Holding> holdings(Index tile, Index most, bool is_double) {
  std::vector<Holding> found;
  const int points = is_double ? 16 : 32;
  const auto add = [&](Index held, Holding holding) {
    while (holding.cluster * held < tile) holding.cluster *= 2;
    if (holding.cluster <= 8) found.push_back(holding);
  };
  add(most, {1, 1, points, 1});
  add(most / 2, {1, 1, points, 2});
  add(most / 2, {1, 1, 16, 3, 256});
  if (tile <= most / 2) add(most / 2, {1, 1, 16, 2});
  for (const int blocks : {2, 1})
    if (tile * blocks == 2 * most)
      for (const int most_points : {points, points / 2})
        found.push_back({1, 2, most_points, blocks, blocks == 2 ? 256 : 0});
  return found;
}

/// All pairs of a first and a second pass that fit the device.
void add_recipes(const Split& split, TwoPassOptions options, const Limits& limits,
                 std::vector<Recipe>& found) {
  const bool is_double = split.problem.precision == Precision::f64;
  const Index most = is_double ? 8192 : options.half_shared ? 32768 : 16384;
  std::vector<TilePass> firsts, seconds;
  const auto add = [&](std::vector<TilePass>& passes, const std::optional<TilePass>& pass) {
    if (pass && std::ranges::find(passes, *pass) == passes.end() && fits(*pass, limits))
      passes.push_back(*pass);
  };
  for (const Holding& holding : holdings(split.x().n * split.ya, most, is_double)) {
    options.first = holding;
    add(firsts, first_pass(split, options));
  }
  if (firsts.empty()) return;
  const Index run = stored_bytes(split.problem.precision);
  for (const int columns : {4, 8, 16, 32}) {
    if (columns * run < 32 || columns * run > 128) continue;
    options.columns = columns;
    for (const Holding& holding : holdings(split.yb * split.z().n * columns, most, is_double)) {
      options.second = holding;
      add(seconds, second_pass(split, options));
    }
  }
  for (const TilePass& first : firsts)
    for (const TilePass& second : seconds) found.push_back(joined(split.problem, first, second));
}

}  // namespace

std::optional<Recipe> two_pass_recipe(const Problem& problem, const TwoPassOptions& options) {
  const auto split = split_of(problem, options);
  if (!split) return std::nullopt;
  const auto first = first_pass(*split, options);
  const auto second = second_pass(*split, options);
  if (!first || !second) return std::nullopt;
  return joined(problem, *first, *second);
}

std::vector<Recipe> two_pass_recipes(const Problem& problem, const Limits& limits) {
  std::vector<Recipe> found;
  if (!limits.has_clusters) return found;
  TwoPassOptions options;
  options.shared_bytes = limits.shared_bytes;
  for (const bool halves : {false, true})
    for (const bool pairs : {false, true})
      for (const Index ya : {8, 16, 32, 64, 128}) {
        if ((halves && problem.precision != Precision::f16) || (pairs && problem.kind != Kind::r2c))
          continue;
        options.first_y = ya;
        options.half_shared = halves;
        options.pairs = pairs;
        const auto split = split_of(problem, options);
        if (split && split->yb > 1) add_recipes(*split, options, limits, found);
      }
  return found;
}

}  // namespace weft::gpu
