// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/format.hpp"

namespace weft::fabric {
namespace {

/// Cycles [begin, end) in which a message occupies a link.
struct Interval {
  std::uint64_t begin = 0, end = 0;
  std::size_t routed = 0;
};

std::uint64_t entered(const RoutedMessage& routed, std::size_t hop) { return routed.start + hop; }

/// Everything that was asked against everything that is sent; empty when they agree.
std::string difference(const Schedule& schedule, const Traffic& traffic) {
  std::map<std::tuple<NodeId, NodeId, std::int64_t>, int> open;
  for (const Message& message : traffic) ++open[{message.from, message.to, message.words}];
  for (const RoutedMessage& routed : schedule.messages)
    --open[{routed.message.from, routed.message.to, routed.message.words}];
  for (const auto& [message, count] : open) {
    if (count == 0) continue;
    const auto& [from, to, words] = message;
    return weft::format("{} words from {} to {} are {}", words, from, to,
                        count > 0 ? "never sent" : "sent twice, or nobody asked for them");
  }
  return "";
}

std::string path_problem(const Topology& topology, const RoutedMessage& routed) {
  NodeId at = routed.message.from;
  for (const LinkId link : routed.path) {
    if (link < 0 || link >= static_cast<LinkId>(topology.links().size()) ||
        topology.links()[static_cast<std::size_t>(link)].from != at)
      return weft::format("the path of the message from {} to {} breaks at node {}",
                          routed.message.from, routed.message.to, at);
    at = topology.links()[static_cast<std::size_t>(link)].to;
  }
  if (at != routed.message.to)
    return weft::format("the message from {} to {} ends at {}", routed.message.from,
                        routed.message.to, at);
  return "";
}

/// How many words an item of the traffic brings across the cut of a topology, per direction.
double cut_cycles(const Topology& topology, const Traffic& traffic) {
  std::int64_t up = 0;
  std::int64_t down = 0;
  const int half = topology.nodes() / 2;
  for (const Message& message : traffic) {
    if (message.from < half && message.to >= half) up += message.words;
    if (message.to < half && message.from >= half) down += message.words;
  }
  const double width = topology.bisection();
  return width > 0 ? static_cast<double>(std::max(up, down)) / width : 0;
}

}  // namespace

Traffic alltoall(int nodes, std::int64_t words) {
  Traffic traffic;
  for (NodeId from = 0; from < nodes; ++from)
    for (NodeId to = 0; to < nodes; ++to)
      if (from != to) traffic.push_back({from, to, words});
  return traffic;
}

LinkLoad Schedule::load(const Topology& topology) const {
  LinkLoad load;
  load.words.assign(topology.links().size(), 0);
  for (const RoutedMessage& routed : messages)
    for (const LinkId link : routed.path) {
      load.words[static_cast<std::size_t>(link)] += routed.message.words;
      load.word_hops += routed.message.words;
    }
  for (std::size_t link = 0; link < load.words.size(); ++link) {
    const double cycles =
        static_cast<double>(load.words[link]) / topology.links()[link].words_per_cycle;
    if (cycles <= load.most_cycles) continue;
    load.most_cycles = cycles;
    load.most = load.words[link];
    load.busiest = static_cast<LinkId>(link);
  }
  return load;
}

std::uint64_t Schedule::cycles() const {
  std::uint64_t last = 0;
  for (const RoutedMessage& routed : messages)
    last = std::max(last, routed.start + routed.path.size() +
                              static_cast<std::uint64_t>(routed.message.words) - 1);
  return last;
}

Verdict Schedule::verify(const Topology& topology, const Traffic& traffic) const {
  const std::string wrong = difference(*this, traffic);
  if (!wrong.empty()) return {false, wrong};
  std::vector<std::vector<Interval>> busy(topology.links().size());
  for (std::size_t k = 0; k < messages.size(); ++k) {
    const std::string broken = path_problem(topology, messages[k]);
    if (!broken.empty()) return {false, broken};
    for (std::size_t hop = 0; hop < messages[k].path.size(); ++hop) {
      const std::uint64_t begin = entered(messages[k], hop);
      busy[static_cast<std::size_t>(messages[k].path[hop])].push_back(
          {begin, begin + static_cast<std::uint64_t>(messages[k].message.words), k});
    }
  }
  for (std::size_t link = 0; link < busy.size(); ++link) {
    std::ranges::sort(busy[link], {}, &Interval::begin);
    for (std::size_t k = 1; k < busy[link].size(); ++k) {
      const Interval& before = busy[link][k - 1];
      const Interval& here = busy[link][k];
      if (here.begin >= before.end) continue;
      const Message& a = messages[before.routed].message;
      const Message& b = messages[here.routed].message;
      return {false,
              weft::format("cycle {}, link {} from {} to {}: the messages {} -> {} and {} -> {} "
                           "collide",
                           here.begin, link, topology.links()[link].from, topology.links()[link].to,
                           a.from, a.to, b.from, b.to)};
    }
  }
  return {};
}

Schedule direct(const Topology& topology, const Traffic& traffic) {
  Schedule schedule{.name = "direct", .messages = {}};
  for (const Message& message : traffic)
    schedule.messages.push_back({message, topology.path(message.from, message.to), 0});
  return schedule;
}

Schedule conflict_free(const Topology& topology, const Traffic& traffic) {
  Schedule schedule = direct(topology, traffic);
  schedule.name = "conflict-free";
  std::ranges::stable_sort(schedule.messages, [](const RoutedMessage& a, const RoutedMessage& b) {
    return a.path.size() > b.path.size();
  });
  // Per link the cycles already given away, as disjoint intervals in ascending order.
  std::vector<std::map<std::uint64_t, std::uint64_t>> taken(topology.links().size());
  const auto next_free = [&](LinkId link, std::uint64_t begin, std::uint64_t words) {
    const auto& busy = taken[static_cast<std::size_t>(link)];
    auto after = busy.upper_bound(begin);
    if (after != busy.begin()) begin = std::max(begin, std::prev(after)->second);
    for (; after != busy.end() && after->first < begin + words; ++after)
      begin = std::max(begin, after->second);
    return begin;
  };
  for (RoutedMessage& routed : schedule.messages) {
    const auto words = static_cast<std::uint64_t>(routed.message.words);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t hop = 0; hop < routed.path.size(); ++hop) {
        const std::uint64_t wanted = entered(routed, hop);
        const std::uint64_t free = next_free(routed.path[hop], wanted, words);
        if (free == wanted) continue;
        routed.start += free - wanted;
        moved = true;
      }
    }
    for (std::size_t hop = 0; hop < routed.path.size(); ++hop)
      taken[static_cast<std::size_t>(routed.path[hop])][entered(routed, hop)] =
          entered(routed, hop) + words;
  }
  return schedule;
}

Schedule broadcast_blocks(int nodes, std::int64_t words) {
  const Topology line = Topology::line(nodes);
  Schedule schedule{.name = "broadcast and filter", .messages = {}};
  std::uint64_t start = 0;
  for (NodeId s = 0; s + 1 < nodes; ++s) {
    const std::int64_t block = words * (nodes - 1 - s);
    schedule.messages.push_back({{s, nodes - 1, block}, line.path(s, nodes - 1), start});
    schedule.messages.push_back({{nodes - 1 - s, 0, block}, line.path(nodes - 1 - s, 0), start});
    start += static_cast<std::uint64_t>(block) + 1;
  }
  return schedule;
}

double lower_bound(const Topology& topology, const Traffic& traffic) {
  std::vector<std::int64_t> sent(static_cast<std::size_t>(topology.nodes()), 0);
  std::vector<std::int64_t> received = sent;
  std::vector<double> outward(sent.size(), 0), inward(sent.size(), 0);
  for (const Link& link : topology.links()) {
    if (link.from < topology.nodes())
      outward[static_cast<std::size_t>(link.from)] += link.words_per_cycle;
    if (link.to < topology.nodes())
      inward[static_cast<std::size_t>(link.to)] += link.words_per_cycle;
  }
  for (const Message& message : traffic) {
    sent[static_cast<std::size_t>(message.from)] += message.words;
    received[static_cast<std::size_t>(message.to)] += message.words;
  }
  double bound = cut_cycles(topology, traffic);
  for (std::size_t node = 0; node < sent.size(); ++node) {
    if (outward[node] > 0) bound = std::max(bound, static_cast<double>(sent[node]) / outward[node]);
    if (inward[node] > 0)
      bound = std::max(bound, static_cast<double>(received[node]) / inward[node]);
  }
  return bound;
}

}  // namespace weft::fabric
