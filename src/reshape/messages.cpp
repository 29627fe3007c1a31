// SPDX-License-Identifier: BSD-3-Clause
// Divides boxes into messages, the first step of every reshape.
#include "reshape/messages.hpp"

#include <algorithm>
#include <numeric>

#include "base/index.hpp"
#include "weft/error.hpp"

namespace weft::reshape {
namespace {

/// Calls visit(chunk, part) for each part of `from` that lies in `to`, in the order of messages.
template <class Visit>
void cut(const RankBoxes& from, const RankBoxes& to, int chunk, const Chunking& chunking,
         const Visit& visit) {
  for (const Box& source : from) {
    const Box slice = chunk_of(source, chunk, chunking);
    if (slice.empty()) continue;
    for (const Box& target : to) {
      const Box part = intersect(slice, target);
      if (!part.empty()) visit(part);
    }
  }
}

enum class Side { outgoing, incoming };

Traffic traffic(const ArrayDistribution& from, const ArrayDistribution& to, int me,
                const Chunking& chunking, Side side) {
  Traffic result;
  const bool sending = side == Side::outgoing;
  const RankBoxes mine = (sending ? from : to)[at(me)];
  const ArrayDistribution& others = sending ? to : from;
  const std::vector<int> peers = others.ranks_meeting(mine);
  for (int chunk = 0; chunk < chunking.count; ++chunk) {
    std::vector<Index> counts(from.size(), 0);
    for (const int peer : peers) {
      const RankBoxes theirs = others[at(peer)];
      cut(sending ? mine : theirs, sending ? theirs : mine, chunk, chunking, [&](const Box& part) {
        result.parts.push_back({peer, part, counts[at(peer)], chunk});
        counts[at(peer)] += part.count();
      });
    }
    result.counts.push_back(std::move(counts));
  }
  return result;
}

}  // namespace

Index Traffic::count() const {
  Index sum = 0;
  for (const auto& by_peer : counts) sum = std::accumulate(by_peer.begin(), by_peer.end(), sum);
  return sum;
}

Index Traffic::messages(int me) const {
  Index sum = 0;
  for (const auto& by_peer : counts)
    for (int peer = 0; peer < static_cast<int>(by_peer.size()); ++peer)
      sum += peer != me && by_peer[at(peer)] > 0;
  return sum;
}

Box chunk_of(const Box& box, int chunk, const Chunking& chunking) {
  if (chunking.count == 1) return box;
  Box slice = box;
  const std::size_t d = at(chunking.axis);
  const auto [begin, end] = split_evenly(box.extent(chunking.axis), chunking.count, chunk);
  slice.begin[d] = box.begin[d] + begin;
  slice.end[d] = box.begin[d] + end;
  return slice;
}

Traffic outgoing(const ArrayDistribution& from, const ArrayDistribution& to, int me,
                 const Chunking& chunking) {
  return traffic(from, to, me, chunking, Side::outgoing);
}
Traffic incoming(const ArrayDistribution& from, const ArrayDistribution& to, int me,
                 const Chunking& chunking) {
  return traffic(from, to, me, chunking, Side::incoming);
}

namespace {

Index count_between(const RankBoxes& from, const RankBoxes& to) {
  Index count = 0;
  cut(from, to, 0, {}, [&](const Box& part) { count += part.count(); });
  return count;
}

}  // namespace

Index count_between(const ArrayDistribution& from, const ArrayDistribution& to, int sender,
                    int receiver) {
  return count_between(from[at(sender)], to[at(receiver)]);
}

std::vector<PeerCount> outgoing_counts(const ArrayDistribution& from, const ArrayDistribution& to,
                                       int me) {
  const RankBoxes mine = from[at(me)];
  std::vector<PeerCount> counts;
  for (const int peer : to.ranks_meeting(mine))
    if (const Index elements = count_between(mine, to[at(peer)]); elements > 0)
      counts.push_back({peer, elements});
  return counts;
}

std::vector<int> groups(const ArrayDistribution& from, const ArrayDistribution& to) {
  std::vector<int> smallest(from.size());
  std::iota(smallest.begin(), smallest.end(), 0);
  const auto root = [&](int rank) {
    while (smallest[at(rank)] != rank) rank = smallest[at(rank)] = smallest[at(smallest[at(rank)])];
    return rank;
  };
  const auto meet = [](const RankBoxes& a, const RankBoxes& b) {
    for (const Box& x : a)
      for (const Box& y : b)
        if (!intersect(x, y).empty()) return true;
    return false;
  };
  const int ranks = static_cast<int>(from.size());
  for (int a = 0; a < ranks; ++a)
    for (int b = 0; b < ranks; ++b) {
      const int x = root(a), y = root(b);
      if (x != y && meet(from[at(a)], to[at(b)])) smallest[at(std::max(x, y))] = std::min(x, y);
    }
  for (int rank = 0; rank < ranks; ++rank) smallest[at(rank)] = root(rank);
  return smallest;
}

}  // namespace weft::reshape
