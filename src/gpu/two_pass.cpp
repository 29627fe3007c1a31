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

std::size_t at(int i) { return static_cast<std::size_t>(i); }

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

/// One task per thread in the widest stage; the others loop.
int threads_for(const TilePass& pass) {
  Index points = 1;
  for (const Piece& piece : pass.pieces) points *= piece.n();
  for (const Loop& loop : pass.loops) points *= loop.tile;
  const Index threads = round_up(points / pass.cluster / widest_stage(pass), 32);
  return static_cast<int>(std::clamp<Index>(threads, 32, 1024));
}

bool fits(const Recipe& recipe, const Limits& limits) {
  constexpr int registers = 65536;
  return std::ranges::all_of(recipe.steps, [&](const Step& step) {
    const Geometry geometry(step.pass);
    const Index words = step.pass.precision == Precision::f64 ? 8 : 4;  // data, and as many again
    return geometry.shared_bytes() * static_cast<std::size_t>(step.pass.blocks_per_sm) +
                   1024 * static_cast<std::size_t>(step.pass.blocks_per_sm) <=
               limits.shared_bytes + 1024 &&
           widest_stage(step.pass) * words * step.pass.threads * step.pass.blocks_per_sm <=
               registers;
  });
}

}  // namespace

std::optional<Recipe> two_pass_recipe(const Problem& problem, const TwoPassOptions& options) {
  const auto roles = roles_of(problem);
  if (!roles) return std::nullopt;
  const Dimension& y = problem.dimensions[at(roles->y)];
  const Dimension& z = problem.dimensions[at(roles->z)];
  if (y.n % options.first_y != 0) return std::nullopt;
  const Index ya = options.first_y, yb = y.n / ya;
  const auto workspace = workspace_strides(problem);
  // The workspace is [k1 of y][z][n2 of y][x]: what a tile of the second pass reads lies together.
  const Index wx = half_extent(problem, roles->x);
  const Index wy = wx, wz = yb * wx, wk = z.n * yb * wx;
  const auto packed1 =
      pack({problem.dimensions[at(roles->x)].n, ya}, options.first_points, options.first_cluster);
  const auto packed2 = pack({yb, z.n}, options.second_points, options.second_cluster);
  if (!packed1 || !packed2 || ya == 1) return std::nullopt;

  TilePass first;
  first.precision = problem.precision;
  first.direction = problem.direction;
  const RealSide real = problem.kind == Kind::r2c ? RealSide::input : RealSide::none;
  first.pieces = {{packed1->radices[0], 1, 1, 0, -1, false, real, {}},
                  {packed1->radices[1], yb * y.in, wk, 0, -1, false, RealSide::none, {}}};
  first.loops = {{yb, y.in, wy}, {z.n, z.in, wz}};
  first.stages = packed1->stages;
  first.cluster = options.first_cluster;
  first.blocks_per_sm = options.first_blocks;

  TilePass second;
  second.precision = problem.precision;
  second.direction = problem.direction;
  second.loops = {{half_extent(problem, roles->x), 1, 1, options.columns}, {ya, wk, y.out}};
  if (yb > 1)
    second.pieces.push_back(
        {packed2->radices[0], wy, ya * y.out, y.n, 1, false, RealSide::none, {}});
  second.pieces.push_back({packed2->radices[1], wz, z.out, 0, -1, false, RealSide::none, {}});
  second.stages = packed2->stages;
  if (yb == 1)
    for (Stage& stage : second.stages)
      for (DigitName& digit : stage) digit.piece = 0;
  second.cluster = options.second_cluster;
  second.blocks_per_sm = options.second_blocks;
  second.is_reversed = options.is_reversed;
  for (TilePass* pass : {&first, &second}) {
    const auto batches = batch_loops(problem, *roles, workspace, pass == &first);
    pass->loops.insert(pass->loops.end(), batches.begin(), batches.end());
    pass->threads = threads_for(*pass);
  }
  return Recipe{
      {{first, Place::input, Place::workspace}, {second, Place::workspace, Place::output}},
      half_count(problem)};
}

std::vector<Recipe> two_pass_recipes(const Problem& problem, const Limits& limits) {
  std::vector<Recipe> found;
  const auto roles = roles_of(problem);
  if (!roles || !limits.has_clusters) return found;
  const bool is_double = problem.precision == Precision::f64;
  const Index x = problem.dimensions[at(roles->x)].n, y = problem.dimensions[at(roles->y)].n,
              z = problem.dimensions[at(roles->z)].n;
  for (const Index block : {8192, 16384})
    for (const int columns : {8, 16})
      for (const Index ya : {8, 16, 32, 64, 128}) {
        const Index points = is_double ? block / 2 : block;
        TwoPassOptions options{.first_y = ya, .columns = columns};
        const auto cluster_for = [&](Index tile) {
          Index cluster = 1;
          while (cluster * points < tile) cluster *= 2;
          return static_cast<int>(cluster);
        };
        if (y % ya != 0 || ya == y) continue;
        options.first_cluster = cluster_for(x * ya);
        options.second_cluster = cluster_for(y / ya * z * columns);
        if (options.first_cluster > 8 || options.second_cluster > 8) continue;
        options.first_blocks = options.second_blocks = block == 8192 ? 2 : 1;
        if (is_double) options.first_points = 16;
        const auto recipe = two_pass_recipe(problem, options);
        if (recipe && fits(*recipe, limits)) found.push_back(*recipe);
      }
  return found;
}

}  // namespace weft::gpu
