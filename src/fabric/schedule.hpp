// SPDX-License-Identifier: BSD-3-Clause
// What has to travel (Traffic), and how it travels (Schedule): every message with its path and the
// cycle it starts. A schedule can be verified (no link carries two words in a cycle, every message
// arrives once), priced (words per link, cycles) and compared with the bound of its topology.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/topology.hpp"

namespace weft::fabric {

struct Message {
  NodeId from = 0, to = 0;
  std::int64_t words = 0;
  friend bool operator==(const Message&, const Message&) = default;
};
using Traffic = std::vector<Message>;

/// `words` from every node to every other.
Traffic alltoall(int nodes, std::int64_t words);

/// One message on its way: its head enters link k of the path at `start` + k.
struct RoutedMessage {
  Message message;
  Path path;
  std::uint64_t start = 0;
};

struct LinkLoad {
  std::vector<std::int64_t> words;  ///< per link
  LinkId busiest = -1;
  std::int64_t most = 0;   ///< words of the busiest link
  double most_cycles = 0;  ///< ... over its bandwidth
  std::int64_t word_hops = 0;
};

struct Verdict {
  bool good = true;
  std::string problem;  ///< the first one: link, cycle and messages
};

struct Schedule {
  std::string name;
  std::vector<RoutedMessage> messages;

  LinkLoad load(const Topology& topology) const;
  std::uint64_t cycles() const;  ///< until the last word has arrived
  /// Against what was asked: every message once, along a connected path, no two words on a link of
  /// one word per cycle at once.
  Verdict verify(const Topology& topology, const Traffic& traffic) const;
};

/// Every message on the topology's own path, all at once: the loads of a simple all-to-all.
Schedule direct(const Topology& topology, const Traffic& traffic);

/// The same messages, each started as early as its whole path is free (longest first): a schedule
/// without conflicts.
Schedule conflict_free(const Topology& topology, const Traffic& traffic);

/// wsFFT's exchange on a line, with the words that only pass by: each block as one message to the
/// end of the line, one block after the other in both directions.
Schedule broadcast_blocks(int nodes, std::int64_t words);

/// No schedule is faster: the largest of what one node must send or receive and what must cross the
/// middle of the topology, in cycles.
double lower_bound(const Topology& topology, const Traffic& traffic);

}  // namespace weft::fabric
