// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "gpu/line_pass.hpp"

namespace weft::gpu {
namespace {

constexpr const char* places[] = {"input", "output", "workspace"};

struct SideOfPass {
  Index elements = 1;
  Index element_bytes = 0;
  Index run = 1;  ///< adjacent elements within a tile
};

SideOfPass side(const TilePass& pass, bool is_output) {
  SideOfPass result;
  result.element_bytes = stored_bytes(pass.precision);
  std::vector<std::pair<Index, Index>> extents;  // distance, count within a tile
  for (const Piece& piece : pass.pieces) {
    const bool here = piece.real == (is_output ? RealSide::output : RealSide::input);
    const bool halved = piece.real != RealSide::none && !here;
    if (here) result.element_bytes = stored_bytes(pass.precision) / 2;
    const Index n = halved ? piece.n() / 2 + 1 : piece.n();
    result.elements *= n;
    extents.emplace_back(std::abs(is_output ? piece.out : piece.in), n);
  }
  for (const Loop& loop : pass.loops) {
    result.elements *= loop.count;
    if (loop.tile > 1) extents.emplace_back(std::abs(is_output ? loop.out : loop.in), loop.tile);
  }
  std::ranges::sort(extents);
  for (const auto& [distance, count] : extents)
    if (distance == result.run) result.run *= count;
  return result;
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

std::string to_text(const Recipe& recipe) {
  std::string text;
  for (const Step& step : recipe.steps)
    text += fmt::format("{}{} > {}: {}", text.empty() ? "" : " | ",
                        places[static_cast<int>(step.from)], places[static_cast<int>(step.to)],
                        to_text(step.pass));
  return text;
}

}  // namespace weft::gpu
