// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/cost.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "base/format.hpp"
#include "base/index.hpp"
#include "gpu/recipe/problem.hpp"

namespace weft::gpu {
namespace {

constexpr Index sector_bytes = 32;
constexpr double launch_s = 2.5e-6;

struct SideOfPass {
  Index elements = 1;
  Index element_bytes = 0;
  Index run = 1;           ///< adjacent elements that a block reads or writes
  Index pages = 1;         ///< of 2 MiB that a tile touches, about
  bool is_aligned = true;  ///< runs begin where sectors of 32 bytes do
};

/// Of adjacent points a block of a cluster reads only its share of the digit that is spread.
Index share_of_adjacent_points(const TilePass& pass) {
  const auto digit = spread_digit(pass);
  if (!digit) return 0;
  const TileAxis& tile_axis = pass.tile_axes[at(digit->tile_axis)];
  const bool is_adjacent =
      tile_axis.in == 1 && digit->position + 1 == static_cast<int>(tile_axis.radices.size());
  return is_adjacent ? tile_axis.radices.back() / pass.cluster : 0;
}

SideOfPass side(const TilePass& pass, bool is_output) {
  SideOfPass result;
  result.element_bytes = stored_bytes(pass.precision);
  if (pass.tile_axes[0].is_twinned()) result.elements = 2;
  // Pairs of neighbouring reals are points, and distances count reals.
  const Index reals = std::abs(is_output ? pass.out_pair : pass.pair) == 1 ? 2 : 1;
  std::vector<std::pair<Index, Index>> extents;  // distance, count within a tile
  for (const TileAxis& tile_axis : pass.tile_axes) {
    const Chirp::Role chirp = tile_axis.chirp.role;
    const bool is_inside = chirp == Chirp::Role::spectrum ||
                           (is_output ? tile_axis.chirp.reads() : chirp == Chirp::Role::second);
    const bool here =
        tile_axis.real == (is_output ? RealSide::output : RealSide::input) && !is_inside;
    const bool halved = tile_axis.real != RealSide::none && !here && !is_inside;
    if (here) result.element_bytes = stored_bytes(pass.precision) / 2;
    const Index logical = chirp == Chirp::Role::none || is_inside ? tile_axis.length()
                          : tile_axis.chirp.step > 0
                              ? ceil_div(tile_axis.chirp.n, tile_axis.chirp.step)
                              : tile_axis.chirp.n;
    const Index kept = is_output ? tile_axis.out_kept : tile_axis.in_kept;
    const Index n = kept > 0 ? kept : halved ? logical / 2 + 1 : logical;
    result.elements *= n;
    const Blocks& blocks = is_output ? tile_axis.out_blocks : tile_axis.in_blocks;
    extents.emplace_back(std::abs(is_output ? tile_axis.out : tile_axis.in) / reals,
                         blocks ? std::min(n, blocks.length) : n);
    if (blocks) extents.emplace_back(blocks.jump, n / blocks.length);
  }
  for (const Loop& loop : pass.loops) {
    result.elements *= loop.count;
    const Index distance = std::abs(is_output ? loop.out : loop.in) / reals;
    if (loop.tile > 1) extents.emplace_back(distance, loop.tile);
    if (distance > 1 && distance * result.element_bytes % sector_bytes != 0)
      result.is_aligned = false;
  }
  std::ranges::sort(extents);
  constexpr Index page_bytes = Index(1) << 21;
  for (const auto& [distance, count] : extents) {
    if (distance == result.run)
      result.run *= count;
    else if (distance * result.element_bytes % sector_bytes != 0)
      result.is_aligned = false;
    const Index bytes = distance * result.element_bytes;
    if (bytes >= page_bytes)
      result.pages *= count;
    else if (bytes * count > page_bytes)
      result.pages *= ceil_div(bytes * count, page_bytes);
  }
  if (const Index share = pass.cluster > 1 && !is_output ? share_of_adjacent_points(pass) : 0)
    result.run = std::min(result.run, share);
  return result;
}

// What is left of a copy's speed, by one property of a pass at a time; the product is how fast the
// pass is expected to be. Fitted to the times of 8500 passes of 34 transforms on an H200; the
// passes that are predicted to be fastest take on average 4 % more than the fastest of all, 7 % if
// the transform was left out of the fit (docs/gpu.md, The cost model). Blocks of many threads, f64,
// radices up to 50 and runs within sectors: to 769 passes of 16 other transforms.

/// For short runs, and for tiles that touch more pages than the address translation can hold.
double run_factor(const SideOfPass& side, bool is_output) {
  static constexpr double reading[2][3] = {{0.79, 0.90, 0.99}, {0.89, 0.94, 0.94}};
  static constexpr double writing[2][3] = {{0.83, 0.97, 1.00}, {0.74, 0.96, 0.95}};
  // Parts of sectors meet in the second cache, unless a tile is spread too widely.
  const Index bytes = side.run * side.element_bytes;
  const bool is_far = side.pages > 64;
  const bool has_parts_of_sectors =
      bytes < sector_bytes || (!side.is_aligned && bytes == sector_bytes && is_far);
  const int length = bytes < 2 * sector_bytes ? 0 : bytes < 4 * sector_bytes ? 1 : 2;
  if (!is_output) return reading[is_far][length] * (has_parts_of_sectors ? 0.6 : 1);
  return writing[is_far][length] * (side.is_aligned ? 1 : 0.79) * (has_parts_of_sectors ? 0.25 : 1);
}

/// How many blocks a multiprocessor holds, by their shared memory, registers and threads.
Index resident_blocks(const TilePass& pass, Index tiles, Index per_thread,
                      const DeviceNumbers& numbers) {
  constexpr Index reserved_bytes = 1024;
  const Index points = pass.stages.size() > 1 ? tiles * tile_points(pass) / pass.cluster : 0;
  return std::clamp<Index>(
      std::min({numbers.shared_of_multiprocessor /
                    (points * shared_element_bytes(pass) + reserved_bytes),
                numbers.registers / (pass.threads * per_thread), numbers.threads / pass.threads}),
      1, numbers.blocks);
}
Index resident_blocks(const TilePass& pass, const DeviceNumbers& numbers) {
  const Index per_thread = std::clamp<Index>(block_registers(pass) / pass.threads, 32, 255);
  return resident_blocks(pass, 1, per_thread, numbers);
}
/// A tile that is turned around would have more registers than there are: the compiler takes what
/// the blocks that must fit leave it.
Index resident_blocks(const TurnedWork& work, const DeviceNumbers& numbers) {
  const TilePass& pass = work.forward;
  const Index per_thread =
      std::clamp<Index>(numbers.registers / (pass.threads * pass.blocks_per_sm), 32, 255);
  return resident_blocks(pass, std::max(work.inputs, work.outputs), per_thread, numbers);
}

/// Blocks of a cluster wait for each other, and for what they read from each other; if only one
/// block is on a multiprocessor, nothing is done meanwhile.
double cluster_factor(const TilePass& pass, Index resident) {
  static constexpr double of_lines[] = {1, 1.02, 0.86, 0.81, 0.69};
  static constexpr double of_planes[] = {1, 0.93, 0.83, 0.93, 0.82};
  if (pass.cluster == 1) return resident == 1 ? 0.86 : 1;
  const int log = std::countr_zero(static_cast<unsigned>(pass.cluster));
  const bool is_line = pass.tile_axes.size() == 1;
  return (is_line ? of_lines : of_planes)[log] *
         (resident == 1   ? 0.75
          : resident == 2 ? 0.78
                          : 1) *
         (pass.precision == Precision::f64 && is_line ? 0.93 : 1);
}

double stage_factor(const TilePass& pass) {
  static constexpr double of_lines[] = {1.05, 1.05, 1.13, 1.06, 0.6};
  static constexpr double of_planes[] = {0.86, 0.86, 1, 0.97, 0.88};
  const std::size_t stages = std::min<std::size_t>(pass.stages.size(), 5);
  return (pass.tile_axes.size() > 1 ? of_planes : of_lines)[stages - 1];
}

/// f16 computes as f32 does, in half the time; converted only at the ends it computes more.
double precision_factor(const TilePass& pass) {
  const bool is_line = pass.tile_axes.size() == 1;
  if (pass.half_shared) return is_line ? 0.95 : 0.86;
  if (pass.precision == Precision::f16) return is_line ? 0.81 : 0.66;
  return is_line ? 0.99 : 0.94;
}

/// Threads that go through their points one part after another. If lines of f64 are in one part,
/// all threads wait for memory at the same time.
double loop_factor(const TilePass& pass) {
  Index most = 1;
  for (const ButterflyStage& stage : pass.stages)
    most = std::max(
        most, ceil_div(tile_points(pass) / pass.cluster, stage_points(pass, stage) * pass.threads));
  const bool waits = pass.precision == Precision::f64 && pass.tile_axes.size() == 1 &&
                     pass.stages.size() > 1 && most == 1;
  return waits ? 0.84 : std::pow(0.91, std::log2(static_cast<double>(most)));
}

/// Large blocks wait longest at their barriers.
double threads_factor(const TilePass& pass) {
  if (pass.precision == Precision::f16) return pass.threads >= 768 ? 0.81 : 1;
  return pass.threads >= 640 ? 0.82 : pass.threads >= 480 ? 0.94 : 1;
}

/// The last blocks leave multiprocessors idle; few blocks leave most of them so.
double tail_factor(const TilePass& pass, Index resident, const DeviceNumbers& numbers) {
  double blocks = pass.cluster;
  for (const Loop& loop : pass.loops)
    blocks *= static_cast<double>(ceil_div(loop.count, loop.tile));
  const double rounds = blocks / static_cast<double>(numbers.multiprocessors * resident);
  return std::pow(rounds / std::ceil(rounds), 0.67);
}

/// Of halved lines: the pairs of short ones write runs of a sector or less, a thread that has a
/// line to itself shares no sector with its neighbours, and one that has two wide butterflies
/// leaves room for few others.
double halved_line_factor(const TilePass& pass) {
  const TileAxis& line = pass.tile_axes.front();
  const bool is_input = line.real == RealSide::input;
  const bool is_contiguous = std::abs(line.in) == 1 && std::abs(line.out) == 1;
  const Index radix = is_input ? line.radices.back() : line.radices.front();
  double factor = 1;
  if (is_contiguous && pass.stages.size() == 1 && radix > 8) factor *= 0.4;
  const Index run_bytes = line.n() / radix / 2 * stored_bytes(pass.precision);
  if (is_contiguous && is_input && run_bytes < 2 * sector_bytes) factor *= 0.85;
  if (pass.stages.size() > 1 && radix >= 16) factor *= 0.95;
  if (2 * tile_points(pass) <= pass.threads * widest_stage(pass)) factor *= 0.93;  // some are idle
  return factor;
}

/// Real lines beside complex ones held alike: those that are not halved have twice the butterflies
/// for their bytes, and read each point of a spectrum twice. Fitted to 1700 passes of 45
/// transforms.
double real_line_factor(const TilePass& pass) {
  const TileAxis& line = pass.tile_axes.front();
  if (pass.tile_axes.size() > 1 || line.real == RealSide::none || line.chirp != Chirp{}) return 1;
  if (line.is_halved) return halved_line_factor(pass);
  return line.real == RealSide::input && std::abs(line.in) == 1 ? 0.95 : 0.81;
}

double expected_efficiency(const TilePass& pass, const SideOfPass& in, const SideOfPass& out,
                           Index resident, const DeviceNumbers& numbers) {
  double factor = run_factor(in, false) * run_factor(out, true) * cluster_factor(pass, resident) *
                  stage_factor(pass) * precision_factor(pass) * loop_factor(pass) *
                  threads_factor(pass) * tail_factor(pass, resident, numbers);
  if (tile_points(pass) <= 1024) factor *= 1.04;
  if (widest_stage(pass) >= 64) factor *= 0.87;
  if (pass.tile_axes.size() > 1 && pass.tile_axes[0].real == RealSide::input) factor *= 0.70;
  if (pass.untangles() || pass.tangles) factor *= 0.82;
  return factor * real_line_factor(pass);
}

}  // namespace

double bytes_of(const TilePass& pass) {
  const SideOfPass in = side(pass, false), out = side(pass, true);
  return static_cast<double>(in.elements * in.element_bytes) +
         static_cast<double>(out.elements * out.element_bytes);
}

Index segment_bytes(const TilePass& pass) {
  const SideOfPass in = side(pass, false), out = side(pass, true);
  return std::min(in.run * in.element_bytes, out.run * out.element_bytes);
}

double predicted_seconds(const TilePass& pass, const DeviceNumbers& numbers) {
  const SideOfPass in = side(pass, false), out = side(pass, true);
  const double efficiency =
      expected_efficiency(pass, in, out, resident_blocks(pass, numbers), numbers);
  return launch_s + bytes_of(pass) / (numbers.copy_bytes_per_s * efficiency);
}

double bytes_of(const TurnedWork& work) {
  const SideOfPass in = side(work.forward, false);
  return static_cast<double>((work.inputs + work.outputs) * in.elements * in.element_bytes);
}

/// Blocks go from barrier to barrier: with s stages a tile takes s steps forward and as many back,
/// but the last one forward is the first one back. Measured on an H200, the turned pass of 512^3
/// takes 1.55 to 1.65 times as long as the forward pass that it was; of three stages it has five.
double predicted_seconds(const TurnedWork& work, const DeviceNumbers& numbers) {
  const SideOfPass in = side(work.forward, false);
  const double efficiency =
      expected_efficiency(work.forward, in, in, resident_blocks(work, numbers), numbers);
  const auto stages = static_cast<double>(work.forward.stages.size());
  return launch_s +
         (2 * stages - 1) / stages * bytes_of(work) / (numbers.copy_bytes_per_s * efficiency);
}

double predicted_seconds(const Recipe& recipe, const DeviceNumbers& numbers) {
  double total = 0;
  for (const PlacedPass& placed : recipe.passes) total += predicted_seconds(placed.pass, numbers);
  return total;
}

std::string explain(const PlacedPass& placed, double bytes, double seconds) {
  const TilePass& pass = placed.pass;
  std::string axes;
  for (const TileAxis& tile_axis : pass.tile_axes) {
    if (!axes.empty()) axes += " and ";
    if (tile_axis.is_halved) axes += weft::format("{} reals as ", tile_axis.length());
    axes += std::to_string(tile_axis.n()) + " = ";
    for (std::size_t i = 0; i < tile_axis.radices.size(); ++i)
      axes += (i > 0 ? " x " : "") + std::to_string(tile_axis.radices[i]);
    if (tile_axis.whole > 0)
      axes += weft::format(", {} part of {}", tile_axis.is_first_part ? "first" : "second",
                           tile_axis.whole);
    if (tile_axis.chirp.role != Chirp::Role::none)
      axes += weft::format(", convolution for {} points", tile_axis.chirp.n);
  }
  return weft::format(
      "{} to {}: {}\n  {} stages, {} threads, cluster of {}, segments of {} bytes; {:.1f} MB, "
      "{:.1f} us predicted\n",
      to_string(placed.from), to_string(placed.to), axes, pass.stages.size(), pass.threads,
      pass.cluster, segment_bytes(pass), bytes * 1e-6, seconds * 1e6);
}

std::string explain(const Recipe& recipe, const DeviceNumbers& numbers) {
  std::string text;
  for (const PlacedPass& placed : recipe.passes)
    text += explain(placed, bytes_of(placed.pass), predicted_seconds(placed.pass, numbers));
  return text;
}

}  // namespace weft::gpu
