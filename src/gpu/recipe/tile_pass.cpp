// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/tile_pass.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

[[noreturn]] void contradiction(const TilePass& pass, const char* what) {
  throw Error(ErrorCode::internal, weft::format("GPU pass '{}': {}", to_text(pass), what));
}

int radix_of(const TilePass& pass, const DigitName& d) {
  return pass.tile_axes[static_cast<std::size_t>(d.tile_axis)]
      .radices[static_cast<std::size_t>(d.position)];
}

/// Of a split axis: what the loop over its other part counts.
Index other_part(const TileAxis& tile_axis) {
  const Index other = tile_axis.whole % tile_axis.n() == 0 ? tile_axis.whole / tile_axis.n() : 0;
  return tile_axis.folded == Folded::none && !tile_axis.is_halved ? other : other / 2 + 1;
}

}  // namespace

Index TileAxis::n() const {
  Index n = 1;
  for (int r : radices) n *= r;
  return n;
}

Index TileAxis::length() const { return is_halved && whole == 0 ? 2 * n() : n(); }

bool TilePass::untangles() const {
  return !tangles && !tile_axes.front().is_halved &&
         std::ranges::any_of(loops, [](const Loop& loop) { return loop.mirror > 0; });
}

int TilePass::column_loop() const {
  for (int l = 0; l < static_cast<int>(loops.size()); ++l)
    if (loops[static_cast<std::size_t>(l)].mirror > 0 &&
        std::ranges::none_of(tile_axes,
                             [&](const TileAxis& tile_axis) { return tile_axis.loop == l; }))
      return l;
  return -1;
}

Index tile_points(const TilePass& pass) {
  Index points = 1;
  for (const TileAxis& tile_axis : pass.tile_axes) points *= tile_axis.n();
  for (const Loop& loop : pass.loops) points *= loop.tile;
  return pass.tile_axes.front().is_twinned() ? 2 * points : points;
}

int combining_stage(const TilePass& pass) {
  const TileAxis& line = pass.tile_axes.front();
  if (!line.is_halved) return -1;
  return line.makes_spectrum() ? static_cast<int>(pass.stages.size()) - 1 : 0;
}

Index stage_points(const TilePass& pass, const ButterflyStage& stage) {
  Index points = 1;
  for (const DigitName& d : stage) points *= radix_of(pass, d);
  const int combining = combining_stage(pass);
  const bool holds_two = combining >= 0 &&
                         (pass.stages.size() > 1 || pass.tile_axes.front().is_twinned()) &&
                         stage == pass.stages[static_cast<std::size_t>(combining)];
  return holds_two ? 2 * points : points;
}

Index widest_stage(const TilePass& pass) {
  Index widest = 1;
  for (const ButterflyStage& stage : pass.stages)
    widest = std::max(widest, stage_points(pass, stage));
  return widest;
}

int crossing_stage(const TilePass& pass) {
  const bool writes = combining_stage(pass) == 0;
  return writes ? 0 : static_cast<int>(pass.stages.size()) - 1;
}

std::optional<DigitName> spread_digit(const TilePass& pass) {
  for (const DigitName& d : pass.stages[static_cast<std::size_t>(crossing_stage(pass))])
    if (radix_of(pass, d) % pass.cluster == 0) return d;
  return std::nullopt;
}

Index block_registers(const TilePass& pass) {
  return pass.threads * widest_stage(pass) * (pass.precision == Precision::f64 ? 8 : 4);
}

int shared_element_bytes(const TilePass& pass) {
  if (pass.half_shared) return 4;
  return pass.precision == Precision::f64 ? 16 : 8;
}

namespace {

/// What halved lines go together with: nothing that changes what a point of the line is.
bool is_halved_line(const TilePass& pass) {
  const TileAxis& line = pass.tile_axes.front();
  return pass.tile_axes.size() == 1 && (line.real == RealSide::none) == line.is_twinned() &&
         line.chirp == Chirp{} && !line.in_blocks && !line.out_blocks && !line.in_turned &&
         !line.out_turned && line.folded == Folded::none && line.in_kept == 0 &&
         line.out_kept == 0 && pass.pair == 0 && pass.out_pair == 0 && !pass.tangles;
}

/// The only mirrors of a halved line are the twins of rows.
bool has_mirrors_of_twins(const TilePass& pass) {
  const TileAxis& line = pass.tile_axes.front();
  for (int l = 0; l < static_cast<int>(pass.loops.size()); ++l) {
    const bool is_row = line.is_twinned() && l == line.loop;
    if (pass.loops[static_cast<std::size_t>(l)].mirror != (is_row ? line.whole / line.n() : 0))
      return false;
  }
  return true;
}

}  // namespace

void check(const TilePass& pass) {
  std::vector<int> next(pass.tile_axes.size(), 0);
  for (const ButterflyStage& stage : pass.stages) {
    std::vector<bool> seen(pass.tile_axes.size(), false);
    for (const DigitName& d : stage) {
      if (d.tile_axis < 0 || d.tile_axis >= static_cast<int>(pass.tile_axes.size()))
        contradiction(pass, "a stage names a piece that is not there");
      const auto p = static_cast<std::size_t>(d.tile_axis);
      if (d.position != next[p]++) contradiction(pass, "digits of a piece are out of order");
      if (seen[p]) contradiction(pass, "a stage holds two digits of one piece");
      seen[p] = true;
    }
  }
  for (std::size_t p = 0; p < next.size(); ++p)
    if (next[p] != static_cast<int>(pass.tile_axes[p].radices.size()))
      contradiction(pass, "a digit is in no stage");
  if (pass.stages.empty()) contradiction(pass, "nothing is transformed");
  for (const TileAxis& tile_axis : pass.tile_axes)
    if (tile_axis.whole > 0 &&
        (tile_axis.loop < 0 || tile_axis.loop >= static_cast<int>(pass.loops.size()) ||
         pass.loops[static_cast<std::size_t>(tile_axis.loop)].count != other_part(tile_axis)))
      contradiction(pass, "the parts of a split axis do not make the whole");
  if (pass.cluster < 1 || pass.cluster > 16 || pass.threads < 1 || pass.threads > 1024)
    contradiction(pass, "threads or cluster out of range");
  if (pass.half_shared && pass.precision != Precision::f16)
    contradiction(pass, "only f16 rests as halves");
  if (std::ranges::any_of(pass.tile_axes, &TileAxis::is_halved) &&
      (!is_halved_line(pass) || !has_mirrors_of_twins(pass)))
    contradiction(pass, "only real lines by themselves are halved");
  if (pass.untangles() &&
      (pass.tile_axes.back().radices.front() % 2 != 0 ||
       pass.stages.front().front().tile_axis + 1 != static_cast<int>(pass.tile_axes.size())))
    contradiction(pass, "the first digit of the last piece holds no pairs of planes");
  if (pass.tangles && (pass.tile_axes.back().radices.back() % 2 != 0 ||
                       std::ranges::none_of(pass.stages.back(), [&](const DigitName& d) {
                         return d.tile_axis + 1 == static_cast<int>(pass.tile_axes.size());
                       })))
    contradiction(pass, "the last digit of the last piece holds no pairs of planes");
}

}  // namespace weft::gpu
