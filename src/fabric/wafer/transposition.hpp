// SPDX-License-Identifier: BSD-3-Clause
// All-to-all exchanges along the lines (rows or columns) of a wafer, as programs for its routers
// and elements. Each function adds the routes, filters, blocks and receptions of one phase.
// LineTraffic says which words an element sends and where it stores the words that it receives.
#pragma once

#include <array>
#include <functional>

#include "fabric/wafer/program.hpp"

namespace weft::fabric {

/// A row (west to east) or a column (north to south) of elements.
struct Line {
  std::vector<int> elements;  ///< numbers in the program, in the order of the line
  Port up = Port::east;       ///< towards higher positions
};
Line row_of(const WaferProgram& program, int y);
Line column_of(const WaferProgram& program, int x);

/// Some of the positions of a line: first, first + step, ...; number them 0, 1, 2, ...
struct Positions {
  int first = 0, step = 1;
  bool contain(int position) const { return position >= first && (position - first) % step == 0; }
  int number_of(int position) const { return (position - first) / step; }
};

/// Which words each element of a line sends to which other element, and in what order they are
/// stored. An element's message to itself is copied in its memory.
struct LineTraffic {
  Walk send;     ///< the message to destination number 0; strides[0] leads to the next destination
  Walk receive;  ///< the message from source number 0; strides[0] leads to the next source
  Positions destinations = {}, sources = {};
  /// With two rounds, of `cycle` destinations the first one gets its message in the first round, by
  /// `send`, and the others in the second, by `send_later`. strides[0] leads to the next cycle, and
  /// in `send_later` strides[1] to the next destination of the same cycle.
  std::optional<Walk> send_later = {};
  int cycle = 2;
  /// By round: how many cycles later words come that an element only passes on.
  std::array<Cycle, 2> delays{};

  int rounds() const { return send_later ? 2 : 1; }
  int round_of(int position) const {
    return send_later && destinations.number_of(position) % cycle != 0 ? 1 : 0;
  }
};
/// The traffic of each position, if elements store their words in different order. Sources,
/// destinations and message lengths must be the same for all.
using TrafficAt = std::function<LineTraffic(int position)>;

/// Words per message; the same for send and receive.
inline std::int32_t message_words(const LineTraffic& traffic) {
  return static_cast<std::int32_t>(traffic.send.message_words());
}

/// wsFFT's transposition (section 4.3): each direction has one color and one stream. Position 0
/// sends first, and all others receive through a counter filter; then a control wavelet makes the
/// next position the sender, and every element downstream rewrites its filter. Uses the colors
/// `color` and `color + 1`.
enum class Streams { both, up_only };
void add_broadcast_filter(WaferProgram& program, const Line& line, const LineTraffic& traffic,
                          Color color, int phase, Streams streams = Streams::both);

/// Cycles until the last word is in memory, by formula: r p (p-1)/2 words on the last link, one
/// hand-over per element, one ramp. For one direction the simulator gives exactly the same; with
/// both directions, words that meet at a ramp wait a cycle, which only the simulator counts.
Cycle broadcast_filter_cycles(std::int64_t elements, std::int64_t words, const WaferRules& rules);

/// The same computed with one step per block instead of one per wavelet. Returns for each position
/// the cycle when all its words have been received and sent.
std::vector<Cycle> broadcast_filter_runs(int elements, std::int64_t words, const WaferRules& rules,
                                         Streams streams = Streams::both);

/// The segmented broadcast S(G): the destinations are divided into `groups` equal segments, each
/// with one color whose route ends at its last destination. Every element sends its own block
/// first, whole segments at a time, so that filters have a fixed period; then a control wavelet
/// (advance) opens the router to its upstream neighbour. The block of the first element ends with a
/// reset, which returns all switches to their first position. Upstream and downstream routes of
/// neighbouring segments use the same color: G + 1 colors, starting with `color`.
///
/// With two rounds every element sends first to every second (or fourth) destination, then, not
/// before `later_cycles`, to the others, whose data it computes in the meantime. The reset of the
/// first round lets the second one follow without a gap. Filters keep their period, that of the
/// first round. So an element also receives words of the other round, and drops them; and where the
/// second round has three times as many words as the first, its elements sift theirs by software.
struct SegmentedBroadcast {
  int groups = 2;
  Cycle setup_cycles = 40;  ///< per block
  Cycle later_cycles = 0;   ///< of the second round
  /// Every block has its time, so that no two colors want a link at once. Then segments can be so
  /// much shorter in the middle that their last links are equally busy. Without times, links serve
  /// colors in turn, and the long segments at the ends are late.
  bool timed = false;
};
/// Returns the cycle, counted from the begin of the timetable, when its last word is in memory; 0
/// without a timetable.
Cycle add_segmented_broadcast(WaferProgram& program, const Line& line, const TrafficAt& traffic,
                              Color color, int phase, const SegmentedBroadcast& options);
Cycle add_segmented_broadcast(WaferProgram& program, const Line& line, const LineTraffic& traffic,
                              Color color, int phase, const SegmentedBroadcast& options);

/// The number of words on the busiest link of S(G), including control wavelets: no schedule with
/// these routes is faster. All positions are destinations.
std::int64_t segmented_broadcast_load(std::int64_t elements, std::int64_t words, int groups,
                                      bool timed = false, std::int64_t rounds = 1);
/// The first positions of the segments, multiples of `unit`, and after them `positions`. Equal
/// segments, or timed ones: their last links, which carry x_{k+1} (1 - x_k) of all words, are
/// nearly equally busy. Without units the solution of x_0 = 0, x_{k+1} (1 - x_k) = L and x_G = 1 is
/// L = 1 / (4 cos^2(pi / (G + 2))), where equal ones have (1 + 1/G)^2 / 4.
std::vector<std::int64_t> segment_limits(std::int64_t positions, int groups, bool timed,
                                         int unit = 1);

/// The lower bound of any exchange of `words` per pair along a line: the words over the link in the
/// middle.
std::int64_t line_alltoall_bound(std::int64_t elements, std::int64_t words);

/// An empty program: every element has `phases` phases and `colors` unused colors.
WaferProgram make_program(int width, int height, int phases, int colors, std::int32_t memory_words,
                          const WaferRules& rules);

}  // namespace weft::fabric
