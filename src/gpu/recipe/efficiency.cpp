// SPDX-License-Identifier: BSD-3-Clause
// What is left of a copy's speed, by one property of a pass at a time; the product is how fast the
// pass is expected to be. Fitted to the times of 8500 passes of 34 transforms on an H200, which are
// not those of cost.cpp; blocks of many threads, f64, radices up to 50 and runs within sectors to
// 769 passes of 16 others.
#include "gpu/recipe/efficiency.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "base/index.hpp"
#include "gpu/recipe/problem.hpp"

namespace weft::gpu {

double halved_line_factor(const TilePass& pass) {
  const TileAxis& line = pass.tile_axes.front();
  const bool is_input = line.real == RealSide::input;
  const bool is_contiguous = std::abs(line.in) == 1 && std::abs(line.out) == 1;
  const Index radix = is_input ? line.radices.back() : line.radices.front();
  double factor = 1;
  if (is_contiguous && pass.stages.size() == 1 && radix > 8) factor /= 0.4;
  const Index run_bytes = line.n() / radix / 2 * stored_bytes(pass.precision);
  if (is_contiguous && is_input && run_bytes < 2 * sector_bytes) factor /= 0.85;
  if (pass.stages.size() > 1 && radix >= 16) factor /= 0.95;
  if (2 * tile_points(pass) <= pass.threads * widest_stage(pass)) factor /= 0.93;  // some are idle
  return factor;
}

namespace {

/// For short runs, and for tiles that touch more pages than the address translation can hold.
double run_factor(const SideOfPass& side, bool is_output) {
  static constexpr double reading[2][3] = {{0.79, 0.90, 0.99}, {0.89, 0.94, 0.94}};
  static constexpr double writing[2][3] = {{0.83, 0.97, 1.00}, {0.74, 0.96, 0.95}};
  // Parts of sectors meet in the second cache, unless a tile is spread too widely.
  const Index bytes = is_output ? side.run_bytes() : side.share_bytes();
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
Index resident_turned_blocks(const TilePass& pass, int tiles, const DeviceNumbers& numbers) {
  const Index per_thread =
      std::clamp<Index>(numbers.registers / (pass.threads * pass.blocks_per_sm), 32, 255);
  return resident_blocks(pass, tiles, per_thread, numbers);
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

/// Real lines beside complex ones held alike: those that are not halved have twice the butterflies
/// for their bytes, and read each point of a spectrum twice. Fitted to 1700 passes of 45
/// transforms.
double real_line_factor(const TilePass& pass) {
  const TileAxis& line = pass.tile_axes.front();
  if (pass.tile_axes.size() > 1 || line.real == RealSide::none || line.chirp != Chirp{}) return 1;
  if (line.is_halved) return 1 / halved_line_factor(pass);
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

double seconds_at(double efficiency, const SideOfPass& in, const SideOfPass& out,
                  const DeviceNumbers& numbers) {
  return (in.bytes() + out.bytes()) / (numbers.copy_bytes_per_s * efficiency);
}

}  // namespace

double seconds_by_efficiency(const TilePass& pass, const DeviceNumbers& numbers) {
  const SideOfPass in = side_of(pass, false), out = side_of(pass, true);
  const Index resident = resident_blocks(pass, numbers);
  return seconds_at(expected_efficiency(pass, in, out, resident, numbers), in, out, numbers);
}

double turned_seconds_by_efficiency(const TilePass& pass, int tiles, const DeviceNumbers& numbers) {
  const SideOfPass in = side_of(pass, false);
  const Index resident = resident_turned_blocks(pass, tiles, numbers);
  return seconds_at(expected_efficiency(pass, in, in, resident, numbers), in, in, numbers);
}

}  // namespace weft::gpu
