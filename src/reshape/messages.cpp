// SPDX-License-Identifier: BSD-3-Clause
// Cuts boxes into messages: the first half of every reshape.
#include "reshape/messages.hpp"

#include <algorithm>
#include <numeric>

#include "base/index.hpp"
#include "weft/error.hpp"

namespace weft::reshape {
namespace {

/// Calls visit(chunk, part) for each part of `from` that lies in `to`, in the order of messages.
template <class Visit>
void cut(const std::vector<Box>& from, const std::vector<Box>& to, int chunk,
         const Chunking& chunking, const Visit& visit) {
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

Traffic traffic(const Layout& from, const Layout& to, int me, const Chunking& chunking, Side side) {
  Traffic result;
  for (int chunk = 0; chunk < chunking.count; ++chunk) {
    std::vector<Index> counts(from.size(), 0);
    for (int peer = 0; peer < static_cast<int>(from.size()); ++peer) {
      const bool sending = side == Side::outgoing;
      cut(from[at(sending ? me : peer)], to[at(sending ? peer : me)], chunk, chunking,
          [&](const Box& part) {
            result.parts.push_back({peer, part, counts[at(peer)], chunk});
            counts[at(peer)] += part.count();
          });
    }
    result.counts.push_back(std::move(counts));
  }
  return result;
}

}  // namespace

Layout grid_layout(std::span<const Index> shape, const Grid& grid, int ranks) {
  Layout layout(at(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    for (const LocalBox& local : bricks(shape, grid, rank)) layout[at(rank)].push_back(local.box);
  return layout;
}

bool is_whole(const Layout& layout, std::span<const Index> shape, int axis) {
  for (const auto& boxes : layout)
    for (const Box& box : boxes)
      if (!box.empty() && box.extent(axis) != shape[at(axis)]) return false;
  return true;
}

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

Index Traffic::elements_abroad(int me) const {
  Index sum = count();
  for (const auto& by_peer : counts) sum -= by_peer[at(me)];
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

Traffic outgoing(const Layout& from, const Layout& to, int me, const Chunking& chunking) {
  return traffic(from, to, me, chunking, Side::outgoing);
}
Traffic incoming(const Layout& from, const Layout& to, int me, const Chunking& chunking) {
  return traffic(from, to, me, chunking, Side::incoming);
}

Index count_between(const Layout& from, const Layout& to, int sender, int receiver) {
  Index count = 0;
  cut(from[at(sender)], to[at(receiver)], 0, {}, [&](const Box& part) { count += part.count(); });
  return count;
}

std::vector<int> groups(const Layout& from, const Layout& to) {
  std::vector<int> smallest(from.size());
  std::iota(smallest.begin(), smallest.end(), 0);
  const auto root = [&](int rank) {
    while (smallest[at(rank)] != rank) rank = smallest[at(rank)] = smallest[at(smallest[at(rank)])];
    return rank;
  };
  const auto meet = [](const std::vector<Box>& a, const std::vector<Box>& b) {
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
