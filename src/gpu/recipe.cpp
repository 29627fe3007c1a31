// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "base/format.hpp"
#include "base/index.hpp"
#include "gpu/line_pass.hpp"

namespace weft::gpu {
namespace {

constexpr const char* places[] = {"input", "output", "workspace", "scratch"};

constexpr Index sector_bytes = 32;

struct SideOfPass {
  Index elements = 1;
  Index element_bytes = 0;
  Index run = 1;           ///< adjacent elements within a tile
  Index pages = 1;         ///< of 2 MiB that a tile touches, about
  bool is_aligned = true;  ///< runs begin where sectors of 32 bytes do
};

SideOfPass side(const TilePass& pass, bool is_output) {
  SideOfPass result;
  result.element_bytes = stored_bytes(pass.precision);
  std::vector<std::pair<Index, Index>> extents;  // distance, count within a tile
  for (const Piece& piece : pass.pieces) {
    const Chirp::Role chirp = piece.chirp.role;
    const bool is_inside = chirp == (is_output ? Chirp::Role::first : Chirp::Role::second);
    const bool here = piece.real == (is_output ? RealSide::output : RealSide::input) && !is_inside;
    const bool halved = piece.real != RealSide::none && !here && !is_inside;
    if (here) result.element_bytes = stored_bytes(pass.precision) / 2;
    const Index logical = chirp == Chirp::Role::none || is_inside ? piece.n() : piece.chirp.n;
    const Index n = halved ? logical / 2 + 1 : logical;
    result.elements *= n;
    const Blocks& blocks = is_output ? piece.out_blocks : piece.in_blocks;
    extents.emplace_back(std::abs(is_output ? piece.out : piece.in),
                         blocks ? std::min(n, blocks.length) : n);
    if (blocks) extents.emplace_back(blocks.jump, n / blocks.length);
  }
  for (const Loop& loop : pass.loops) {
    result.elements *= loop.count;
    const Index distance = std::abs(is_output ? loop.out : loop.in);
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
  return result;
}

/// How much of the copy's speed is left where two axes, or parts of them, are transformed at once:
/// the more points meet, the more stages and blocks of a cluster wait for each other.
double meeting_efficiency(const TilePass& pass) {
  constexpr double of_levels[] = {0.99, 0.97, 0.92, 0.85, 0.79, 0.75, 0.65, 0.55};  // from 2^11 on
  if (pass.pieces.size() < 2) return pass.cluster > 1 ? 0.9 : 1;
  Index points = 1;
  for (const Piece& piece : pass.pieces) points *= piece.n();
  const double levels = std::log2(static_cast<double>(points));
  const auto row = std::clamp(std::lround(levels) - 11, 0L, std::ssize(of_levels) - 1L);
  const bool is_power = std::has_single_bit(static_cast<std::uint64_t>(points));
  return of_levels[row] * (is_power ? 1 : 0.8) *
         (pass.pieces[0].real == RealSide::input ? 0.65 : 1);
}

/// The more points the threads of a multiprocessor have in their registers, the more of their
/// waiting is hidden. How many blocks are there follows from the shared memory and registers they
/// take.
double occupancy_efficiency(const TilePass& pass) {
  constexpr Index shared_bytes = 228 * 1024, registers = 65536;
  const Index per_block = block_registers(pass);
  const Index bytes = tile_points(pass) / pass.cluster * shared_element_bytes(pass) + 1024;
  const Index blocks = std::max<Index>(1, std::min(shared_bytes / bytes, registers / per_block));
  const Index used = blocks * per_block;
  // A cluster of 16 must find room at once among the 16 to 18 multiprocessors of a group.
  const double in_group = pass.cluster < 16 ? 1 : blocks > 3 ? 0.95 : 0.8;
  return in_group * (used > registers / 4 * 3 ? 1
                     : used > registers / 2   ? 0.95
                     : used > registers / 3   ? 0.87
                                              : 0.8);
}

/// How much of the copy's speed is left where memory is read or written in short runs: less where a
/// tile touches more pages than address translation keeps at hand.
double run_efficiency(const SideOfPass& side) {
  const Index bytes = side.run * side.element_bytes / (side.is_aligned ? 1 : 2);
  const bool is_near = side.pages <= 64;
  if (bytes < 32) return 0.2;
  if (bytes < 64) return is_near ? 0.7 : 0.5;
  if (bytes < 128) return is_near ? 0.84 : 0.65;
  if (bytes < 256) return is_near ? 0.92 : 0.85;
  return 0.96;
}

}  // namespace

void leave_scale_to_last(Recipe& recipe, bool scales) {
  for (Step& step : recipe.steps) step.pass.scales = false;
  TilePass& last = recipe.steps.back().pass;
  last.scales = scales || last.untangles();
}

double bytes_of(const TilePass& pass) {
  const SideOfPass in = side(pass, false), out = side(pass, true);
  return static_cast<double>(in.elements * in.element_bytes) +
         static_cast<double>(out.elements * out.element_bytes);
}

Index segment_bytes(const TilePass& pass) {
  const SideOfPass in = side(pass, false), out = side(pass, true);
  return std::min(in.run * in.element_bytes, out.run * out.element_bytes);
}

std::string to_text(const Step& step) {
  return weft::format("{} > {}: {}", places[static_cast<int>(step.from)],
                      places[static_cast<int>(step.to)], to_text(step.pass));
}

std::string to_text(const Recipe& recipe) {
  std::string text;
  for (const Step& step : recipe.steps) text += (text.empty() ? "" : " | ") + to_text(step);
  return text;
}

double predicted_seconds(const TilePass& pass) {
  constexpr double copy_bytes_per_s = 4.2e12, launch_s = 2.5e-6;
  const SideOfPass in = side(pass, false), out = side(pass, true);
  double efficiency = 2 / (1 / run_efficiency(in) + 1 / run_efficiency(out));
  efficiency *= meeting_efficiency(pass);
  if (pass.pieces.size() > 1) efficiency *= occupancy_efficiency(pass);
  if (pass.pieces.size() > 1 && widest_stage(pass) > 32) efficiency *= 0.95;
  if (pass.pieces.size() == 1 && pass.stages.size() > 3) efficiency *= 0.9;
  if (widest_stage(pass) > 16 && pass.precision == Precision::f64 && pass.threads > 128)
    efficiency *= 0.8;  // registers
  if (pass.untangles() || pass.tangles) efficiency *= 0.85;
  if (pass.precision == Precision::f16)  // arithmetic is that of f32
    efficiency *= !pass.half_shared ? 0.72 : pass.pieces.size() > 1 ? 0.82 : 0.86;
  return launch_s + bytes_of(pass) / (copy_bytes_per_s * efficiency);
}

double predicted_seconds(const Recipe& recipe) {
  double total = 0;
  for (const Step& step : recipe.steps) total += predicted_seconds(step.pass);
  return total;
}

std::string explain(const Recipe& recipe) {
  std::string text;
  for (const Step& step : recipe.steps) {
    const TilePass& pass = step.pass;
    std::string axes;
    for (const Piece& piece : pass.pieces) {
      if (!axes.empty()) axes += " and ";
      axes += std::to_string(piece.n()) + " = ";
      for (std::size_t i = 0; i < piece.radices.size(); ++i)
        axes += (i > 0 ? " x " : "") + std::to_string(piece.radices[i]);
      if (piece.whole > 0)
        axes +=
            weft::format(", {} part of {}", piece.is_first_part ? "first" : "second", piece.whole);
      if (piece.chirp.role != Chirp::Role::none)
        axes += weft::format(", convolution for {} points", piece.chirp.n);
    }
    text += weft::format(
        "{} to {}: {}\n  {} stages, {} threads, cluster of {}, segments of {} bytes; {:.1f} MB, "
        "{:.1f} us predicted\n",
        places[static_cast<int>(step.from)], places[static_cast<int>(step.to)], axes,
        pass.stages.size(), pass.threads, pass.cluster, segment_bytes(pass), bytes_of(pass) * 1e-6,
        predicted_seconds(pass) * 1e6);
  }
  return text;
}

std::string to_text(const Problem& problem) {
  static constexpr const char* kinds[] = {"c2c", "r2c", "c2r", "r2r"};
  static constexpr const char* precisions[] = {"f16", "f32", "f64"};
  std::string text = weft::format("{} {} {}", kinds[static_cast<int>(problem.kind)],
                                  precisions[static_cast<int>(problem.precision)],
                                  problem.direction == Direction::forward ? "forward" : "backward");
  for (const Dimension& d : problem.dimensions) {
    text += weft::format(" {}:{}:{}", d.n, d.in, d.out);
    if (d.in_blocks) text += weft::format(" from {}:{}", d.in_blocks.length, d.in_blocks.jump);
    if (d.out_blocks) text += weft::format(" to {}:{}", d.out_blocks.length, d.out_blocks.jump);
  }
  text += " axes";
  for (int axis : problem.axes) text += weft::format(" {}", axis);
  if (problem.scales) text += " scaled";
  return text;
}

}  // namespace weft::gpu
