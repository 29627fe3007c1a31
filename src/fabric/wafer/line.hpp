// SPDX-License-Identifier: BSD-3-Clause
// A line in the direction in which its words travel: positions are counted downstream, so that the
// code for both directions is written only once. Used only by the schedules.
#pragma once

#include <algorithm>

#include "fabric/wafer/transposition.hpp"

namespace weft::fabric {

enum class Toward { up, down };

class DirectedLine {
 public:
  DirectedLine(const Line& line, Toward toward) : line_(line), toward_(toward) {}

  int count() const { return static_cast<int>(line_.elements.size()); }
  /// Converts the position in the direction of travel to the position on the line; also its
  /// inverse.
  int real(int i) const { return toward_ == Toward::up ? i : count() - 1 - i; }
  int element(int i) const { return line_.elements[static_cast<std::size_t>(real(i))]; }
  Port downstream() const { return toward_ == Toward::up ? line_.up : opposite(line_.up); }
  Port upstream() const { return opposite(downstream()); }
  int sign() const { return toward_ == Toward::up ? 1 : -1; }

  bool is_destination(const LineTraffic& traffic, int i) const {
    return traffic.destinations.contain(real(i));
  }
  bool is_source(const LineTraffic& traffic, int i) const {
    return traffic.sources.contain(real(i));
  }
  /// The words for `count` destinations of one round in the order of travel; the first destination
  /// is at i.
  Walk send(const LineTraffic& traffic, int i, int count) const {
    const int number = traffic.destinations.number_of(real(i));
    if (!traffic.send_later) return moved(traffic.send, number * traffic.send.strides[0], count);
    const int group = number / traffic.cycle, place = number % traffic.cycle;
    if (place == 0) return moved(traffic.send, group * traffic.send.strides[0], count);
    const Walk& later = *traffic.send_later;
    const int in_group = std::min(count, traffic.cycle - 1);
    Walk walk =
        moved(later, group * later.strides[0] + (place - 1) * later.strides[1], count / in_group);
    walk.strides[1] *= sign();
    walk.extents[1] = in_group;
    return walk;
  }
  /// The words from `count` sources; the first source is at i. step +1: downstream, -1: upstream.
  Walk receive(const LineTraffic& traffic, int i, int count, int step) const {
    Walk walk = traffic.receive;
    walk.base += traffic.sources.number_of(real(i)) * walk.strides[0];
    walk.strides[0] *= sign() * step;
    walk.extents[0] = count;
    return walk;
  }

 private:
  Walk moved(Walk walk, std::int32_t distance, int count) const {
    walk.base += distance;
    walk.strides[0] *= sign();
    walk.extents[0] = count;
    return walk;
  }

  const Line& line_;
  Toward toward_;
};

/// An element's message to itself is a copy in memory, done first.
inline void copy_own_message(Phase& phase, const DirectedLine& line, const LineTraffic& traffic,
                             int i) {
  if (line.is_source(traffic, i) && line.is_destination(traffic, i))
    phase.copies.emplace_back(line.send(traffic, i, 1), line.receive(traffic, i, 1, 1));
}

}  // namespace weft::fabric
