// SPDX-License-Identifier: BSD-3-Clause
// A layout of a global array over ranks, and what has to travel between two of them.
#pragma once

#include <vector>

#include "weft/distribution.hpp"

namespace weft::reshape {

/// Boxes of every rank: boxes[rank][i].
using Layout = std::vector<std::vector<Box>>;

/// Every rank's block of a grid.
Layout grid_layout(std::span<const Index> shape, const Grid& grid, int ranks);

enum class Cover {
  exact,    ///< every element belongs to exactly one box
  at_least  ///< elements may belong to several boxes
};
/// Throws weft::Error naming the ranks when boxes leave the array, overlap or leave gaps; `what`
/// ("input", "output") heads the message.
void check_cover(const Layout& layout, std::span<const Index> shape, Cover cover, const char* what);

/// Whether each box spans the whole of an axis.
bool is_whole(const Layout& layout, std::span<const Index> shape, int axis);

/// Boxes cut into slices that travel one after another; `axis` is not cut by anything else.
struct Chunking {
  int axis = -1, count = 1;
};
Box chunk_of(const Box& box, int chunk, const Chunking& chunking);

/// Part of a box that goes from one rank to another.
struct Part {
  int peer;
  Box box;
  Index offset;  ///< elements from the start of the message
  int chunk = 0;
};

/// What one rank sends, or receives: parts grouped by chunk, then by peer, in the same order on
/// both sides of every message.
struct Traffic {
  std::vector<Part> parts;
  std::vector<std::vector<Index>> counts;  ///< counts[chunk][peer]: elements of that message

  Index count() const;           ///< elements in all
  Index messages(int me) const;  ///< messages to or from other ranks
  Index elements_abroad(int me) const;
};

/// The sender's boxes cut along the receivers', and by the sender's chunks.
Traffic outgoing(const Layout& from, const Layout& to, int me, const Chunking& chunking = {});
Traffic incoming(const Layout& from, const Layout& to, int me, const Chunking& chunking = {});
/// Elements that rank `sender` has for rank `receiver`.
Index count_between(const Layout& from, const Layout& to, int sender, int receiver);

/// For each rank the smallest rank that it exchanges data with, directly or through others.
std::vector<int> groups(const Layout& from, const Layout& to);

}  // namespace weft::reshape
