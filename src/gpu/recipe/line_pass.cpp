// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/line_pass.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>

#include "base/index.hpp"
#include "gpu/recipe/problem.hpp"
#include "gpu/recipe/radices.hpp"

namespace weft::gpu {
namespace {

/// Loops by distance in memory; those that continue each other become one. The loop that a split
/// axis depends on stays as it is.
std::vector<Loop> arranged(std::vector<Loop> loops, Index split_loop, int& split_position) {
  std::vector<std::pair<Loop, bool>> marked;
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (loops[i].count > 1 || static_cast<Index>(i) == split_loop)
      marked.emplace_back(loops[i], static_cast<Index>(i) == split_loop);
  std::ranges::stable_sort(marked, {}, [](const auto& l) { return std::abs(l.first.out); });
  for (std::size_t i = 1; i < marked.size();) {
    Loop& inner = marked[i - 1].first;
    const Loop& outer = marked[i].first;
    const bool continues =
        outer.in == inner.count * inner.in && outer.out == inner.count * inner.out;
    if (continues && !marked[i].second && !marked[i - 1].second) {
      inner.count *= outer.count;
      marked.erase(marked.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  std::vector<Loop> result;
  split_position = -1;
  for (const auto& [loop, is_split] : marked) {
    if (is_split) split_position = static_cast<int>(result.size());
    result.push_back(loop);
  }
  return result;
}

Index largest_divisor(Index count, Index most) {
  for (Index c = most; c > 1; --c)
    if (count % c == 0) return c;
  return 1;
}

/// Columns of a loop in one tile: `wanted` of them, or fewer when that divides the loop evenly.
Index columns_of(Index count, Index wanted) {
  if (wanted >= count) return count;
  const Index even = largest_divisor(count, wanted);
  return 2 * even >= wanted ? even : wanted;
}

/// The loop whose neighbours lie next to each other in memory on a side, or -1. Where a point is a
/// pair of neighbouring reals, points are two of them apart.
int adjacent_loop(const std::vector<Loop>& loops, Index Loop::* side, Index pair) {
  const Index distance = std::abs(pair) == 1 ? 2 : 1;
  for (std::size_t l = 0; l < loops.size(); ++l)
    if (std::abs(loops[l].*side) == distance) return static_cast<int>(l);
  return -1;
}

/// Points of a tile that holds one line.
Index line_points(const LineProblem& problem, bool is_halved) {
  if (problem.is_twinned) return 2 * problem.n;
  return is_halved ? problem.n / 2 : problem.n;
}

void choose_columns(TilePass& pass, const LineProblem& problem, const LineOptions& options) {
  const Index segment = std::max<Index>(1, options.segment_bytes / stored_bytes(pass.precision));
  Index points = line_points(problem, pass.tile_axes[0].is_halved);
  const auto widen = [&](int l, Index wanted) {
    Loop& loop = pass.loops[static_cast<std::size_t>(l)];
    if (loop.tile > 1 || wanted <= 1) return;
    // Rows and twins, of an odd number, and pairs of reals in whole sectors rather than in even
    // tiles.
    const bool is_halved_part = problem.is_twinned || problem.pair != 0 || problem.out_pair != 0;
    loop.tile = static_cast<int>(is_halved_part ? std::min(loop.count, wanted)
                                                : columns_of(loop.count, wanted));
    points *= loop.tile;
  };
  if (std::abs(problem.in) != 1)
    if (const int l = adjacent_loop(pass.loops, &Loop::in, problem.pair); l >= 0) widen(l, segment);
  if (std::abs(problem.out) != 1)
    if (const int l = adjacent_loop(pass.loops, &Loop::out, problem.out_pair); l >= 0)
      widen(l, segment);
  for (std::size_t l = 0; l < pass.loops.size() && 2 * points <= options.small_tile; ++l) {
    Loop& loop = pass.loops[l];
    points /= loop.tile;
    loop.tile = static_cast<int>(columns_of(loop.count, options.small_tile / points));
    points *= loop.tile;
  }
}

/// Radices whose last digit can be divided among the blocks of the cluster. In a contiguous line
/// each block must still read whole sectors of 32 bytes. Empty if there are none.
std::vector<int> radices_for_cluster(const LineProblem& problem, int cluster, int largest) {
  const Index sector = std::abs(problem.in) == 1 ? 32 / stored_bytes(problem.precision) : 1;
  const auto is_last = [&](int r) { return r % cluster == 0 && r / cluster >= sector; };
  std::vector<int> radices = choose_radices(problem.n, largest);
  const auto last = std::ranges::find_if(radices, is_last);
  if (last != radices.end()) {
    std::rotate(last, last + 1, radices.end());
    return radices.size() > 1 ? radices : std::vector<int>{};
  }
  for (const int r : offered_radices)
    if (is_last(r) && problem.n % r == 0 && problem.n > r) {
      radices = choose_radices(problem.n / r, largest);
      if (!radices.empty()) radices.push_back(r);
      return radices;
    }
  return {};
}

/// Stages of n points with radices up to `largest`: not fewer than this.
std::size_t stages_at_least(Index n, int largest) {
  std::size_t stages = 0;
  for (Index points = 1; points < n; points *= largest) ++stages;
  return stages;
}

/// Of halved lines the digit of the combining stage is the last one of r2c and the first one of
/// c2r, and the one that is divided in a cluster. A thread holds twice as many points there: after
/// the number of stages what counts is that it is short.
std::vector<int> radices_for_halved(const LineProblem& problem, int cluster, int largest) {
  // More of f64 are no registers for.
  const int most_points = problem.precision == Precision::f64 ? 32 : 64;
  // A thread that reads a whole line shares no sector with its neighbours.
  constexpr Index longest_line_of_a_thread = 8;
  const Index n = problem.is_twinned ? problem.n : problem.n / 2;
  const bool makes_spectrum =
      problem.is_twinned ? !problem.is_first_part : problem.real == RealSide::input;
  const Index neighbours = makes_spectrum ? problem.in : problem.out;
  const Index sector = std::abs(neighbours) == 1 ? 32 / stored_bytes(problem.precision) : 1;
  const bool is_line = std::abs(problem.in) == 1 && std::abs(problem.out) == 1;
  const bool may_be_one_stage = cluster == 1 && (!problem.is_twinned || 2 * n <= most_points);
  const std::vector<int> one_stage =
      may_be_one_stage ? choose_radices(n, largest) : std::vector<int>{};
  if (one_stage.size() == 1 && (!is_line || n <= longest_line_of_a_thread)) return one_stage;
  std::vector<int> best;
  const auto rank = [](const std::vector<int>& radices) {
    return std::tuple(radices.size(), std::max(radices.front(), 2 * radices.back()),
                      std::accumulate(radices.begin(), radices.end(), 0));
  };
  for (const int r : offered_radices) {
    if (r > largest || 2 * r > most_points || n % r != 0 || n == r) continue;
    if (cluster > 1 && (r % cluster != 0 || r / cluster < sector)) continue;
    if (!best.empty() && stages_at_least(n / r, largest) >= best.size()) continue;
    std::vector<int> radices = choose_radices(n / r, largest);
    if (radices.empty()) continue;
    radices.push_back(r);
    if (best.empty() || rank(radices) < rank(best)) best = radices;
  }
  if (best.empty() && one_stage.size() == 1) return one_stage;
  if (!makes_spectrum) std::ranges::reverse(best);
  return best;
}

bool can_be_halved(const LineProblem& problem) {
  return problem.real != RealSide::none && problem.n % 2 == 0 && problem.whole == 0 &&
         problem.chirp == Chirp{} && problem.folded == Folded::none && !problem.in_blocks &&
         !problem.out_blocks && problem.in_kept == 0 && problem.out_kept == 0;
}

/// All but how the tile is held: tiles, radices and stages are to be set.
TilePass bare_pass(const LineProblem& problem, bool is_halved) {
  TilePass pass;
  pass.precision = problem.precision;
  pass.direction = problem.direction;
  int split_position = -1;
  pass.loops = arranged(problem.loops, problem.split_loop, split_position);
  pass.pair = problem.pair;
  pass.out_pair = problem.out_pair;
  pass.tile_axes = {{.radices = {},
                     .in = problem.in,
                     .out = problem.out,
                     .whole = problem.whole,
                     .loop = split_position,
                     .is_first_part = problem.is_first_part,
                     .real = problem.real,
                     .chirp = problem.chirp,
                     .in_blocks = problem.in_blocks,
                     .out_blocks = problem.out_blocks,
                     .folded = problem.folded,
                     .in_kept = problem.in_kept,
                     .out_kept = problem.out_kept,
                     .is_halved = is_halved}};
  return pass;
}

}  // namespace

std::optional<TilePass> line_pass_like(const LineProblem& problem, const TilePass& given) {
  const bool is_halved = problem.is_twinned || given.tile_axes[0].is_halved;
  if (is_halved && !problem.is_twinned && !can_be_halved(problem)) return std::nullopt;
  TilePass pass = bare_pass(problem, is_halved);
  if (given.tile_axes.size() != 1 || given.tile_axes[0].length() != problem.n ||
      given.loops.size() != pass.loops.size())
    return std::nullopt;
  pass.tile_axes[0].radices = given.tile_axes[0].radices;
  for (std::size_t l = 0; l < pass.loops.size(); ++l) {
    if (given.loops[l].tile > pass.loops[l].count) return std::nullopt;
    pass.loops[l].tile = given.loops[l].tile;
  }
  pass.stages = given.stages;
  pass.threads = given.threads;
  pass.cluster = given.cluster;
  pass.blocks_per_sm = given.blocks_per_sm;
  pass.is_reversed = given.is_reversed;
  pass.half_shared = given.half_shared;
  return pass;
}

std::optional<TilePass> line_pass(const LineProblem& problem, const DeviceNumbers& numbers,
                                  const LineOptions& options) {
  if (problem.n > options.longest_line) return std::nullopt;
  const bool is_halved = problem.is_twinned || (options.halved && can_be_halved(problem));
  TilePass pass = bare_pass(problem, is_halved);
  choose_columns(pass, problem, options);
  Index points = line_points(problem, is_halved);
  for (const Loop& loop : pass.loops) points *= loop.tile;
  const Index most = options.block_points / (problem.precision == Precision::f64 ? 2 : 1);
  pass.half_shared = options.half_shared && problem.precision == Precision::f16;
  while (points > most * pass.cluster) pass.cluster *= 2;
  if (pass.cluster > numbers.largest_cluster) return std::nullopt;

  const std::vector<int> radices =
      is_halved           ? radices_for_halved(problem, pass.cluster, options.largest_radix)
      : pass.cluster == 1 ? choose_radices(problem.n, options.largest_radix)
                          : radices_for_cluster(problem, pass.cluster, options.largest_radix);
  if (radices.empty()) return std::nullopt;
  pass.tile_axes[0].radices = radices;
  for (int i = 0; i < static_cast<int>(radices.size()); ++i) pass.stages.push_back({{0, i}});
  const Index widest = widest_stage(pass);
  const Index tasks = ceil_div(points / pass.cluster, std::max<Index>(widest, 4));
  const Index most_threads = std::min<Index>(
      options.threads, widest > 32   ? 256
                       : widest > 16 ? 512
                                     : (problem.precision == Precision::f64 ? 512 : 1024));
  // Threads that have several tasks have equally many.
  const Index rounds = ceil_div(tasks, most_threads);
  pass.threads = static_cast<int>(round_up(ceil_div(tasks, rounds), 32));
  pass.blocks_per_sm = options.blocks;
  return pass;
}

}  // namespace weft::gpu
