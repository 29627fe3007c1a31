// SPDX-License-Identifier: BSD-3-Clause
// The data that ranks must exchange to go from one distribution of an array to another.
#pragma once

#include <vector>

#include "reshape/array_distribution.hpp"

namespace weft::reshape {

/// Boxes are divided along `axis` into `count` slices (chunks) that are sent one after another; the
/// distributions do not divide this axis.
struct Chunking {
  int axis = -1, count = 1;
};
Box chunk_of(const Box& box, int chunk, const Chunking& chunking);

/// Part of a box that is sent from one rank to another.
struct Part {
  int peer;
  Box box;
  Index offset;  ///< elements from the start of the message
  int chunk = 0;
};

/// What one rank sends, or what it receives: parts ordered by chunk, then by peer; in the same
/// order at the sender and at the receiver.
struct Traffic {
  std::vector<Part> parts;
  std::vector<std::vector<Index>> counts;  ///< counts[chunk][peer]: elements of that message

  Index count() const;           ///< elements in all
  Index messages(int me) const;  ///< messages to or from other ranks
};

/// The intersections of the sender's boxes with the receivers' boxes, divided into the sender's
/// chunks.
Traffic outgoing(const ArrayDistribution& from, const ArrayDistribution& to, int me,
                 const Chunking& chunking = {});
Traffic incoming(const ArrayDistribution& from, const ArrayDistribution& to, int me,
                 const Chunking& chunking = {});
/// Elements that rank `sender` has for rank `receiver`.
Index count_between(const ArrayDistribution& from, const ArrayDistribution& to, int sender,
                    int receiver);
struct PeerCount {
  int peer;
  Index elements;
};
/// What rank `me` has for the ranks that get any of it, ascending.
std::vector<PeerCount> outgoing_counts(const ArrayDistribution& from, const ArrayDistribution& to,
                                       int me);

/// For each rank the smallest rank of its group: the ranks with which it exchanges data, directly
/// or through others.
std::vector<int> groups(const ArrayDistribution& from, const ArrayDistribution& to);

}  // namespace weft::reshape
