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
  return pass.pieces[static_cast<std::size_t>(d.piece)]
      .radices[static_cast<std::size_t>(d.position)];
}

/// Of a split axis: what the loop over its other part counts.
Index other_part(const Piece& piece) {
  const Index other = piece.whole % piece.n() == 0 ? piece.whole / piece.n() : 0;
  return piece.folded == Folded::none ? other : other / 2 + 1;
}

}  // namespace

Index Piece::n() const {
  Index n = 1;
  for (int r : radices) n *= r;
  return n;
}

bool TilePass::untangles() const {
  return !tangles && std::ranges::any_of(loops, [](const Loop& loop) { return loop.mirror > 0; });
}

int TilePass::column_loop() const {
  for (int l = 0; l < static_cast<int>(loops.size()); ++l)
    if (loops[static_cast<std::size_t>(l)].mirror > 0 &&
        std::ranges::none_of(pieces, [&](const Piece& piece) { return piece.loop == l; }))
      return l;
  return -1;
}

Index tile_points(const TilePass& pass) {
  Index points = 1;
  for (const Piece& piece : pass.pieces) points *= piece.n();
  for (const Loop& loop : pass.loops) points *= loop.tile;
  return points;
}

Index stage_points(const TilePass& pass, const Stage& stage) {
  Index points = 1;
  for (const DigitName& d : stage) points *= radix_of(pass, d);
  return points;
}

Index widest_stage(const TilePass& pass) {
  Index widest = 1;
  for (const Stage& stage : pass.stages) widest = std::max(widest, stage_points(pass, stage));
  return widest;
}

std::optional<DigitName> spread_digit(const TilePass& pass) {
  for (const DigitName& d : pass.stages.back())
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

void check(const TilePass& pass) {
  std::vector<int> next(pass.pieces.size(), 0);
  for (const Stage& stage : pass.stages) {
    std::vector<bool> seen(pass.pieces.size(), false);
    for (const DigitName& d : stage) {
      if (d.piece < 0 || d.piece >= static_cast<int>(pass.pieces.size()))
        contradiction(pass, "a stage names a piece that is not there");
      const auto p = static_cast<std::size_t>(d.piece);
      if (d.position != next[p]++) contradiction(pass, "digits of a piece are out of order");
      if (seen[p]) contradiction(pass, "a stage holds two digits of one piece");
      seen[p] = true;
    }
  }
  for (std::size_t p = 0; p < next.size(); ++p)
    if (next[p] != static_cast<int>(pass.pieces[p].radices.size()))
      contradiction(pass, "a digit is in no stage");
  if (pass.stages.empty()) contradiction(pass, "nothing is transformed");
  for (const Piece& piece : pass.pieces)
    if (piece.whole > 0 &&
        (piece.loop < 0 || piece.loop >= static_cast<int>(pass.loops.size()) ||
         pass.loops[static_cast<std::size_t>(piece.loop)].count != other_part(piece)))
      contradiction(pass, "the parts of a split axis do not make the whole");
  if (pass.cluster < 1 || pass.cluster > 16 || pass.threads < 1 || pass.threads > 1024)
    contradiction(pass, "threads or cluster out of range");
  if (pass.half_shared && pass.precision != Precision::f16)
    contradiction(pass, "only f16 rests as halves");
  if (pass.untangles() &&
      (pass.pieces.back().radices.front() % 2 != 0 ||
       pass.stages.front().front().piece + 1 != static_cast<int>(pass.pieces.size())))
    contradiction(pass, "the first digit of the last piece holds no pairs of planes");
  if (pass.tangles && (pass.pieces.back().radices.back() % 2 != 0 ||
                       pass.stages.back().back().piece + 1 != static_cast<int>(pass.pieces.size())))
    contradiction(pass, "the last digit of the last piece holds no pairs of planes");
}

}  // namespace weft::gpu
