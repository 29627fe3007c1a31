// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/cost.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/format.hpp"
#include "base/index.hpp"
#include "gpu/recipe/efficiency.hpp"
#include "gpu/recipe/pass_side.hpp"
#include "gpu/recipe/problem.hpp"

namespace weft::gpu {
namespace {

// A pass takes the time of memory, of instructions and of waiting, which overlap: the p-norm of the
// three, times a few factors.

/// Fitted to 6800 passes of 92 transforms on an H200 (docs/gpu.md, The cost model).
namespace fitted {

constexpr int multiprocessors = 132;
constexpr double launch_s = 4.92e-06;      // of a pass alone
constexpr double early_start_s = 4.0e-06;  // of these, while the pass before it still runs
constexpr double overlap_p = 3.14;

// Memory: times of a copy of the same bytes. By the pages of 2 MiB that a tile touches, see
// page_class, and by the bytes of a run, see run_class.
constexpr double reading[3][6] = {{1.84, 1.29, 0.974, 0.996, 0.958, 0.978},
                                  {2.82, 1.48, 1.04, 0.866, 0.954, 0.874},
                                  {1.87, 1.61, 1.19, 0.836, 0.837, 0.882}};
constexpr double writing[3][6] = {{3.21, 1.27, 0.885, 0.862, 0.85, 0.903},
                                  {3.56, 1.49, 1.09, 1.22, 1.0, 1.18},
                                  {1.82, 1.47, 1.16, 1.3, 1.3, 1.05}};
// More, for lines and for two axes in a pass: for parts of sectors that belong to other tiles, and
// for runs that the blocks of a cluster share.
constexpr double parts_read[] = {0.242, 0.0195}, parts_written[] = {1.93, 3.53},
                 shared_runs[] = {0.773, 0.117};
// More, where only one half of a real axis's spectrum is in memory; the other is its mirror image.
constexpr double folded_read = 1.72, folded_write = 0.936;

// Instructions, by all multiprocessors together: one of a thread in f16, f32 and f64; a byte from
// the shared memory of another block.
constexpr double instruction_s[] = {2e-14, 3.24e-14, 6.6e-14};
constexpr double fetched_byte_s = 2.8e-13;

// Waiting, from the first read of a block to its last write: for each block, for each time that the
// threads go through the first stage, for each stage, for each instruction of a thread.
constexpr double block_s = 2.82e-07, first_round_s = 8.55e-07, stage_s = 4.89e-07,
                 waiting_instruction_s = 1.15e-09;

// Logarithms of factors. Clusters of 1, 2, 4, 8 and 16 blocks, of lines and of two axes.
constexpr double cluster[2][5] = {{0.061, 0.019, 0.135, 0.119, 0.245},
                                  {0.085, 0.037, 0.096, 0.045, 0.116}};
constexpr double idle = 0.401;      // of the last round's multiprocessors, a power
constexpr double squeezed = 0.548;  // registers that are not there, a power
constexpr double alone = 0.223;     // one block on a multiprocessor
// Threads that go through their points twice as often: f16 and f32, f64.
constexpr double rounds[] = {0.059, 0.09};
constexpr double rounds_of_one_stage = 0.187;    // without shared memory, a power
constexpr double wide[] = {0.09, 0.227, 0.241};  // 60 points and more to a thread: f16, f32, f64
constexpr double cached = -0.249;                // arrays that lie in L2 altogether
constexpr double untangling = -0.023, tangling = 0.103, pairs = 0.049;
constexpr double real_plane = -0.04;  // a real axis and another one
constexpr double spectrum = 0.523;    // multiplied by from a table as long as the array

// Registers of a thread: some, and more for each point of a butterfly, by the precision (f64 or
// not), the stage (first, or a later one with twiddles) and the radices (powers of two or not).
constexpr double base_registers[2][2][2] = {{{17.9, 10.8}, {16.0, 23.0}},
                                            {{12.4, 5.0}, {24.2, 30.9}}};
constexpr double point_registers[2][2][2] = {{{2.3, 2.5}, {3.2, 2.5}}, {{4.8, 5.3}, {5.6, 5.3}}};
constexpr double two_axes_registers = -4.5, tangling_registers = 22.7, folding_registers = 7.4,
                 cluster_registers = 6.6, twiddle_registers = 7.6;

// Blocks of a cluster that is turned around, three to a multiprocessor or fewer (measured before,
// docs/operators.md).
constexpr double few_turned_blocks = 1 / 0.78;

}  // namespace fitted

/// Of a run, up to: 32, 64, 128, 256, 1024, more.
int run_class(Index bytes) {
  return bytes < 32 ? 0 : bytes < 64 ? 1 : bytes < 128 ? 2 : bytes < 256 ? 3 : bytes < 1024 ? 4 : 5;
}
/// A few, up to 64, more than the address translation holds.
int page_class(Index pages) { return pages < 8 ? 0 : pages <= 64 ? 1 : 2; }

bool is_folded(const TilePass& pass, Folded side) {
  return std::ranges::any_of(pass.tile_axes,
                             [&](const TileAxis& axis) { return axis.folded == side; });
}
bool has_two_axes(const TilePass& pass) { return pass.tile_axes.size() > 1; }

/// A mirror image lies unaligned.
double unaligned_share(const SideOfPass& side, bool is_mirrored) {
  return !side.is_aligned ? 1 : is_mirrored ? 0.5 : 0;
}
/// Parts of sectors at the ends of a run: about 24 bytes are moved that are not needed.
double parts_of_sectors(const SideOfPass& side, bool is_mirrored) {
  return unaligned_share(side, is_mirrored) *
         std::min(1.0, 24 / static_cast<double>(side.run_bytes()));
}

double reading_copies(const TilePass& pass, const SideOfPass& in) {
  const bool two = has_two_axes(pass), mirrored = is_folded(pass, Folded::input);
  const double shared =
      pass.cluster > 1 && in.share < in.run
          ? std::min(1.0, 32 / std::max(16.0, static_cast<double>(in.share_bytes())))
          : 0;
  return fitted::reading[page_class(in.pages)][run_class(in.run_bytes())] *
         (mirrored ? fitted::folded_read : 1) *
         (1 + fitted::parts_read[two] * parts_of_sectors(in, mirrored) +
          fitted::shared_runs[two] * shared);
}
double writing_copies(const TilePass& pass, const SideOfPass& out) {
  const bool two = has_two_axes(pass), mirrored = is_folded(pass, Folded::output);
  return fitted::writing[page_class(out.pages)][run_class(out.run_bytes())] *
         (mirrored ? fitted::folded_write : 1) *
         (1 + fitted::parts_written[two] * parts_of_sectors(out, mirrored));
}

/// Real operations of a DFT in registers, multiply-adds counted once.
double operations(int radix) {
  switch (radix) {
    case 2: return 4;
    case 3: return 12;
    case 4: return 16;
    case 5: return 32;
    case 6: return 36;
    case 7: return 60;
    case 8: return 52;
    case 9: return 80;
    case 10: return 84;
    case 11: return 140;
    case 12: return 96;
    case 13: return 168;
    case 14: return 148;
    case 15: return 156;
    case 16: return 144;
    case 18: return 220;
    case 20: return 208;
    case 21: return 264;
    case 24: return 264;
    case 25: return 352;
    case 27: return 414;
    case 28: return 400;
    case 30: return 440;
    case 32: return 372;
    case 49: return 1000;
    case 64: return 912;
    default: return 0;
  }
}

/// How a block goes through its part of a tile.
struct BlockWork {
  double first_rounds = 1;  ///< of the threads through the first stage
  double all_rounds = 0, most_rounds = 1;
  double instructions = 0;  ///< of a thread: operations of its butterflies, 4 more for a point
};

BlockWork block_work(const TilePass& pass) {
  BlockWork work;
  const Index points = tile_points(pass) / pass.cluster;
  for (const ButterflyStage& stage : pass.stages) {
    const Index together = stage_points(pass, stage);
    const auto rounds = static_cast<double>(ceil_div(points, together * pass.threads));
    double per_point = 4;
    for (const DigitName& d : stage) {
      const int radix = pass.tile_axes[at(d.tile_axis)].radices[at(d.position)];
      per_point += operations(radix) / radix;
    }
    if (&stage == &pass.stages.front()) work.first_rounds = rounds;
    work.all_rounds += rounds;
    work.most_rounds = std::max(work.most_rounds, rounds);
    work.instructions += rounds * static_cast<double>(together) * per_point;
  }
  return work;
}

/// Registers of a thread, about.
double wanted_registers(const TilePass& pass) {
  const bool is_double = pass.precision == Precision::f64;
  double most = 0;
  for (const ButterflyStage& stage : pass.stages) {
    const bool is_later = &stage != &pass.stages.front();
    const auto points = static_cast<double>(stage_points(pass, stage));
    const bool is_odd = !std::has_single_bit(static_cast<std::uint64_t>(stage_points(pass, stage)));
    most = std::max(most, fitted::base_registers[is_double][is_later][is_odd] +
                              fitted::point_registers[is_double][is_later][is_odd] * points);
  }
  const bool has_twiddles =
      std::ranges::any_of(pass.tile_axes, [](const TileAxis& axis) { return axis.whole > 0; });
  const bool folds = is_folded(pass, Folded::input) || is_folded(pass, Folded::output);
  return most + fitted::two_axes_registers * has_two_axes(pass) +
         fitted::tangling_registers * pass.tangles + fitted::folding_registers * folds +
         fitted::cluster_registers * (pass.cluster > 1) + fitted::twiddle_registers * has_twiddles;
}

// A multiprocessor gives registers to warps by quarters of itself, in eights to a thread.
constexpr Index quarters = 4, granularity = 8;

/// That a thread of a warp alone in a quarter would have.
Index registers_of_quarter(const DeviceNumbers& numbers) {
  return numbers.registers / quarters / 32;
}
Index blocks_by_registers(double wanted, Index warps, const DeviceNumbers& numbers) {
  const auto registers = std::clamp(
      granularity * static_cast<Index>(std::ceil(wanted / granularity)), Index{24}, Index{255});
  return quarters * (registers_of_quarter(numbers) / registers) / warps;
}

/// How a pass is spread over the multiprocessors.
struct Occupancy {
  double resident = 1;  ///< blocks on a multiprocessor, on the mean over what registers may be
  double rounds = 1;    ///< of blocks
  double idle = 1;      ///< rounds to their end, by rounds
  double squeezed = 1;  ///< registers wanted, by those that the blocks that must fit leave
};

/// Tiles that a block has at once. One that is turned around would have more registers than there
/// are: the compiler takes what the blocks that must fit leave it.
struct Held {
  int tiles = 1;
  bool is_turned = false;
};

Occupancy occupancy(const TilePass& pass, const Held& held, const DeviceNumbers& numbers) {
  constexpr Index reserved_bytes = 1024;
  constexpr double uncertainty = 8;  // of registers
  const Index warps = ceil_div(pass.threads, 32);
  const Index points = pass.stages.size() > 1 ? held.tiles * tile_points(pass) / pass.cluster : 0;
  const Index by_others = std::min(
      {numbers.shared_of_multiprocessor / (points * shared_element_bytes(pass) + reserved_bytes),
       numbers.threads / (32 * warps), numbers.blocks});
  const auto allowed = static_cast<double>(std::min<Index>(
      255, registers_of_quarter(numbers) / ceil_div(warps * pass.blocks_per_sm, quarters) /
               granularity * granularity));
  const double wanted = held.is_turned ? allowed : wanted_registers(pass);
  const auto resident = [&](double registers) {
    const Index blocks =
        blocks_by_registers(std::min(8 * std::ceil(registers / 8), allowed), warps, numbers);
    return static_cast<double>(std::clamp<Index>(std::min(by_others, blocks), 1, numbers.blocks));
  };
  double blocks = pass.cluster;
  for (const Loop& loop : pass.loops)
    blocks *= static_cast<double>(ceil_div(loop.count, loop.tile));
  const auto at_once = [&](double of_one) {
    return of_one * static_cast<double>(numbers.multiprocessors);
  };
  Occupancy result;
  result.resident = std::sqrt(resident(wanted) * std::sqrt(resident(wanted - uncertainty) *
                                                           resident(wanted + uncertainty)));
  result.rounds = blocks / at_once(result.resident);
  const double rounds = blocks / at_once(resident(wanted));
  result.idle = std::ceil(rounds) / rounds;
  result.squeezed = std::max(1.0, wanted / allowed);
  return result;
}

/// By f16, f32 and f64.
int precision_class(const TilePass& pass) {
  return pass.precision == Precision::f16 ? 0 : pass.precision == Precision::f32 ? 1 : 2;
}

/// Multiprocessors carry out instructions, and fetch points from the other blocks of a cluster.
double busy_seconds(const TilePass& pass, const BlockWork& work, double blocks,
                    const DeviceNumbers& numbers) {
  const double threads = 32.0 * static_cast<double>(ceil_div(pass.threads, 32));
  const double fetched = static_cast<double>(tile_points(pass) * shared_element_bytes(pass)) *
                         (1 - 1.0 / pass.cluster) / pass.cluster;
  return blocks *
         (threads * work.instructions * fitted::instruction_s[precision_class(pass)] +
          fetched * fitted::fetched_byte_s) *
         fitted::multiprocessors / static_cast<double>(numbers.multiprocessors);
}

double waiting_seconds(const TilePass& pass, const BlockWork& work) {
  return fitted::block_s + fitted::first_round_s * work.first_rounds +
         fitted::stage_s * static_cast<double>(pass.stages.size()) +
         fitted::waiting_instruction_s * work.instructions;
}

/// What is left, by properties of a pass.
double factor(const TilePass& pass, const BlockWork& work, const Occupancy& held, double bytes) {
  constexpr double cached_bytes = 80e6;
  const bool two = has_two_axes(pass), is_double = pass.precision == Precision::f64;
  const auto has_axis = [&](const auto& property) {
    return std::ranges::any_of(pass.tile_axes, property);
  };
  const int cluster = std::countr_zero(static_cast<unsigned>(pass.cluster));
  double log = fitted::cluster[two][std::min(cluster, 4)] + fitted::idle * std::log(held.idle) +
               fitted::squeezed * std::log(held.squeezed) +
               fitted::alone * std::clamp(2 - held.resident, 0.0, 1.0) +
               fitted::rounds[is_double] * std::log2(work.most_rounds) +
               fitted::cached * std::max(0.0, 1 - bytes / cached_bytes);
  if (pass.stages.size() == 1) log += fitted::rounds_of_one_stage * std::log(work.all_rounds);
  if (widest_stage(pass) >= 60) log += fitted::wide[precision_class(pass)];
  if (pass.untangles()) log += fitted::untangling;
  if (pass.tangles) log += fitted::tangling;
  if (pass.pair > 0 || pass.out_pair > 0) log += fitted::pairs;
  if (two && has_axis([](const TileAxis& axis) { return axis.real == RealSide::input; }))
    log += fitted::real_plane;
  if (has_axis([](const TileAxis& axis) { return axis.chirp.role == Chirp::Role::spectrum; }))
    log += fitted::spectrum;
  return std::exp(log);
}

/// Each model alone errs where the other does not: what is chosen is to look good to both
/// (docs/gpu.md, The cost model, has the figures from which the weight was taken).
constexpr double weight_of_work = 0.45;
double joined(double by_work, double by_efficiency) {
  return std::pow(by_work, weight_of_work) * std::pow(by_efficiency, 1 - weight_of_work);
}

/// Of a pass that reads `in` and writes `out`, without its launch.
double seconds_by_work(const TilePass& pass, const SideOfPass& in, const SideOfPass& out,
                       const Held& tiles, const DeviceNumbers& numbers) {
  const BlockWork work = block_work(pass);
  const Occupancy held = occupancy(pass, tiles, numbers);
  const double memory =
      (in.bytes() * reading_copies(pass, in) + out.bytes() * writing_copies(pass, out)) /
      numbers.copy_bytes_per_s;
  const double blocks = held.rounds * held.resident * static_cast<double>(numbers.multiprocessors);
  const double busy = busy_seconds(pass, work, blocks, numbers);
  const double waiting = held.rounds * waiting_seconds(pass, work);
  const double together =
      std::pow(std::pow(memory, fitted::overlap_p) + std::pow(busy, fitted::overlap_p) +
                   std::pow(waiting, fitted::overlap_p),
               1 / fitted::overlap_p);
  return together * factor(pass, work, held, in.bytes() + out.bytes()) *
         (pass.tile_axes.front().is_halved ? halved_line_factor(pass) : 1);
}

}  // namespace

double bytes_of(const TilePass& pass) {
  return side_of(pass, false).bytes() + side_of(pass, true).bytes();
}

Index segment_bytes(const TilePass& pass) {
  return std::min(side_of(pass, false).share_bytes(), side_of(pass, true).run_bytes());
}

double predicted_seconds(const TilePass& pass, const DeviceNumbers& numbers) {
  const double by_work =
      seconds_by_work(pass, side_of(pass, false), side_of(pass, true), {}, numbers);
  return fitted::launch_s + joined(by_work, seconds_by_efficiency(pass, numbers));
}

double bytes_of(const TurnedWork& work) {
  return (work.inputs + work.outputs) * side_of(work.forward, false).bytes();
}

/// Blocks go from barrier to barrier: with s stages a tile takes s steps forward and as many back,
/// but the last one forward is the first one back. Measured on an H200, the turned pass of 512^3
/// takes 1.55 to 1.65 times as long as the forward pass that it was; of three stages it has five.
double predicted_seconds(const TurnedWork& work, const DeviceNumbers& numbers) {
  const SideOfPass in = side_of(work.forward, false);
  const auto stages = static_cast<double>(work.forward.stages.size());
  const Held held{.tiles = std::max(work.inputs, work.outputs), .is_turned = true};
  const bool is_few =
      work.forward.cluster > 1 && occupancy(work.forward, held, numbers).resident < 3;
  const double by_work = (is_few ? fitted::few_turned_blocks : 1) *
                         seconds_by_work(work.forward, in, in, held, numbers);
  const double by_efficiency = turned_seconds_by_efficiency(work.forward, held.tiles, numbers);
  return fitted::launch_s + (2 * stages - 1) / stages * (work.inputs + work.outputs) / 2 *
                                joined(by_work, by_efficiency);
}

double early_start_seconds(Index passes) {
  return static_cast<double>(passes - 1) * fitted::early_start_s;
}

double predicted_seconds(const Recipe& recipe, const DeviceNumbers& numbers) {
  double total = -early_start_seconds(std::ssize(recipe.passes));
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
