// SPDX-License-Identifier: BSD-3-Clause
// All-to-all exchanges along the lines (rows or columns) of a wafer, as programs for its routers
// and elements. Each function adds one phase's worth of routes, filters, blocks and receptions;
// what an element sends and where it stores what it gets is given by LineTraffic.
#pragma once

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

/// Which of its words each element of a line sends to which, and in what order they are stored.
/// What an element sends to itself is copied in its memory.
struct LineTraffic {
  Walk send;     ///< of the message to destination number 0; strides[0]: to the next number
  Walk receive;  ///< of the message from source number 0; strides[0]: to the next number
  Positions destinations = {}, sources = {};
  /// Where there are two rounds: `send` is for destinations with even numbers, which come first,
  /// this one for destinations with odd numbers; strides[0]: to the next of the same round.
  std::optional<Walk> send_later = {};

  int rounds() const { return send_later ? 2 : 1; }
  int round_of(int position) const { return destinations.number_of(position) % rounds(); }
};
/// Where elements hold their words differently: by position on the line. Sources, destinations and
/// the length of messages are the same everywhere.
using TrafficAt = std::function<LineTraffic(int position)>;

/// Words per message; send and receive agree on it.
inline std::int32_t message_words(const LineTraffic& traffic) {
  return static_cast<std::int32_t>(traffic.send.message_words());
}

/// wsFFT's transposition (section 4.3): in each direction one color and one stream; position 0
/// sends first, all others listen through a counter filter; then a control wavelet hands over to
/// the next, and every element downstream rewrites its filter. Uses the colors `color` and `color +
/// 1`.
enum class Streams { both, up_only };
void add_broadcast_filter(WaferProgram& program, const Line& line, const LineTraffic& traffic,
                          Color color, int phase, Streams streams = Streams::both);

/// Cycles until the last word is in memory, from first principles: r p (p-1)/2 words of the last
/// link, a hand-over per element, one ramp. For one direction it is exactly what the simulator
/// finds; where both meet at a ramp, one of them waits a cycle, which only the simulator knows.
Cycle broadcast_filter_cycles(std::int64_t elements, std::int64_t words, const WaferRules& rules);

/// The same with one step per block instead of one per wavelet: for each position, when the words
/// for it are in its memory and its own are sent.
std::vector<Cycle> broadcast_filter_runs(int elements, std::int64_t words, const WaferRules& rules,
                                         Streams streams = Streams::both);

/// The segmented broadcast S(G): destinations in `groups` equal segments, one color per segment
/// whose route ends at its last destination. Every element sends its own block first, whole
/// segments at a time so that filters keep a fixed period, then an advance opens the router to its
/// neighbour upstream; the block of the first element ends with a reset that re-arms all switches.
/// Upstream and downstream colors of neighbouring segments share a number: G + 1 colors, from
/// `color` on.
///
/// In two rounds every element sends to destinations with even numbers first, then, not before
/// `later_cycles`, to those with odd numbers: numbers that it computes meanwhile. The reset of the
/// first round lets the second one follow without a gap. Filters keep their period, so that an
/// element gets words of the other round as well, and drops them.
struct SegmentedBroadcast {
  int groups = 2;
  Cycle setup_cycles = 40;  ///< per block
  Cycle later_cycles = 0;   ///< of the second round
};
void add_segmented_broadcast(WaferProgram& program, const Line& line, const TrafficAt& traffic,
                             Color color, int phase, const SegmentedBroadcast& options);
void add_segmented_broadcast(WaferProgram& program, const Line& line, const LineTraffic& traffic,
                             Color color, int phase, const SegmentedBroadcast& options);

/// The words that the busiest link of S(G) carries, controls included: no schedule with these
/// routes is faster. All positions are destinations.
std::int64_t segmented_broadcast_load(std::int64_t elements, std::int64_t words, int groups,
                                      std::int64_t rounds = 1);

/// The lower bound of any exchange of `words` per pair along a line: the cut in the middle.
std::int64_t line_alltoall_bound(std::int64_t elements, std::int64_t words);

/// An empty program: every element with `phases` phases and `colors` unused colors.
WaferProgram make_program(int width, int height, int phases, int colors, std::int32_t memory_words,
                          const WaferRules& rules);

}  // namespace weft::fabric
