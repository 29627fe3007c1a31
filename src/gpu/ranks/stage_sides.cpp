// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/ranks/stage_sides.hpp"

#include <algorithm>

namespace weft::gpu {

std::optional<Side> side_of(const std::vector<reshape::Piece>& pieces, const Box& box,
                            Index element_bytes) {
  if (std::ranges::any_of(pieces, &reshape::Piece::conjugate)) return std::nullopt;
  if (pieces.size() == 1 && pieces[0].box == box) return Side{pieces[0]};
  if (pieces.size() < 2) return std::nullopt;
  int axis = -1;
  for (int d = 0; d < box.ndim; ++d)
    if (pieces[0].box.extent(d) != box.extent(d)) {
      if (axis >= 0) return std::nullopt;
      axis = d;
    }
  if (axis < 0) return std::nullopt;
  const auto a = static_cast<std::size_t>(axis);
  std::vector<reshape::Piece> sorted = pieces;
  std::ranges::sort(sorted, {}, [&](const reshape::Piece& piece) { return piece.box.begin[a]; });
  const reshape::Piece& first = sorted[0];
  const Index length = first.box.extent(axis), count = static_cast<Index>(sorted.size());
  const Index jump = sorted[1].offset - first.offset;
  if (length * count != box.extent(axis) || jump % element_bytes != 0) return std::nullopt;
  for (Index i = 0; i < count; ++i) {
    reshape::Piece expected = first;
    expected.box.begin[a] = box.begin[a] + i * length;
    expected.box.end[a] = expected.box.begin[a] + length;
    expected.offset = first.offset + i * jump;
    if (sorted[static_cast<std::size_t>(i)] != expected) return std::nullopt;
  }
  return Side{first, axis, {length, jump / element_bytes}};
}

}  // namespace weft::gpu
