// SPDX-License-Identifier: BSD-3-Clause
// What a wafer is told before it starts: for every router the routes, switch positions and counter
// filters of its colors, and for every compute element the blocks it sends and where the words that
// arrive are stored. A value: built by the schedules (transposition.hpp), checked by check(),
// executed wavelet by wavelet by the simulator (simulator.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::fabric {

using Cycle = std::uint64_t;
using Color = std::uint8_t;

enum class Port : std::uint8_t { west, east, north, south, ramp };
inline constexpr int port_count = 5;
inline constexpr int link_count = 4;
constexpr Port opposite(Port port) {
  constexpr std::array<Port, port_count> across = {Port::east, Port::west, Port::south, Port::north,
                                                   Port::ramp};
  return across[static_cast<std::size_t>(port)];
}
const char* name_of(Port port);

/// A subset of the five outputs of a router, one bit per Port.
using PortSet = std::uint8_t;
constexpr PortSet only(Port port) {
  return static_cast<PortSet>(1U << static_cast<unsigned>(port));
}
constexpr PortSet both(Port a, Port b) { return static_cast<PortSet>(only(a) | only(b)); }
constexpr bool contains(PortSet set, Port port) { return (set & only(port)) != 0; }

/// One switch position of a color: where wavelets come from and where they go.
struct Route {
  Port rx = Port::ramp;
  PortSet tx = 0;
  friend bool operator==(const Route&, const Route&) = default;
};

/// Counts the data wavelets of a color: starts at `init`, wraps after `limit`, and hands a word to
/// the compute element while the count is at most `max`. Control wavelets are not counted.
struct Filter {
  std::uint32_t init = 0, limit = 0, max = 0;
  friend bool operator==(const Filter&, const Filter&) = default;
};

/// What a router does with one color.
struct ColorSetting {
  std::vector<Route>
      positions;  ///< at most four; a control wavelet moves to the next, or back to 0
  std::optional<Filter> filter;  ///< in front of the ramp
};

/// What a control wavelet does to each router it passes, after it was routed.
enum class Control : std::uint8_t {
  none,     ///< a data wavelet
  advance,  ///< next switch position; stays at the last
  reset,    ///< first switch position
  signal,   ///< nothing; it only wakes the compute elements it reaches
};

/// The order in which the words of a block lie in memory: a nest of loops, the slowest first,
/// around `run_words` consecutive words. The outermost loop counts messages. All distances in
/// words, possibly negative.
struct Walk {
  static constexpr int depth = 4;
  std::int32_t base = 0;
  std::array<std::int32_t, depth> extents = {0, 1, 1, 1};
  std::array<std::int32_t, depth> strides = {0, 0, 0, 0};
  std::int32_t run_words = 1;

  std::int64_t message_words() const {
    return std::int64_t{extents[1]} * extents[2] * extents[3] * run_words;
  }
  std::int64_t count() const { return extents[0] * message_words(); }
  std::int32_t address(std::int64_t word) const;
};

/// One microthread instruction: words from memory to a color, then perhaps a control wavelet.
struct SendBlock {
  Color color = 0;
  Walk words;
  Control control = Control::none;
  std::uint16_t setup_cycles = 0;   ///< between the block before and the first word of this one
  std::uint16_t after_signals = 0;  ///< waits for that many signals on `color`, and their handlers
  Cycle not_before = 0;             ///< counted from the beginning of sending in this phase
  std::uint32_t after_words = 0;  ///< waits for that many words of `after_color`: it sends them on
  Color after_color = 0;
};

/// Words of a color, in the order of arrival, into memory. The first `skipped` and the last
/// `ignored` ones are dropped: they are what the element itself has sent past its own ramp, and
/// what its filter lets pass of a round that is not for it. Where an element has no filter left for
/// a color all its words come down the ramp, and the element sifts them itself.
struct Reception {
  Color color = 0;
  Walk into;
  std::int32_t skipped = 0, ignored = 0;
  std::optional<Filter> sift = {};

  /// That come down the ramp: one message of every period is kept or skipped, the rest is dropped.
  std::int64_t words() const {
    const std::int64_t wanted = into.count() + skipped + ignored;
    return sift ? wanted / (sift->max + 1) * (sift->limit + 1) : wanted;
  }
};

/// What an element does when the k-th signal of a color reaches it: new filter, perhaps new route.
struct SignalHandler {
  std::optional<Filter> filter;
  std::optional<Route> route;
};

/// A filter changes hands while the element computes: the color `release` no longer goes to the
/// ramp here, and `acquire` is filtered from now on.
struct FilterMove {
  Color release = 0, acquire = 0;
  Filter filter;
};

/// From computing to the last word in or out. Then the next phase begins. Blocks with `not_before`
/// are of numbers that are computed while others are sent.
struct Phase {
  Cycle compute_cycles = 0;                    ///< before anything is sent
  std::vector<FilterMove> filter_moves;        ///< at the beginning of computing
  std::vector<std::vector<SendBlock>> queues;  ///< each in order; all compete for the ramp
  std::vector<Reception> receptions;
  std::vector<std::pair<Walk, Walk>> copies;  ///< memory to memory at the start: (from, to)
};

struct SignalTable {
  Color color = 0;
  std::vector<SignalHandler> handlers;  ///< the k-th signal of the color runs the k-th
};

struct Element {
  std::vector<ColorSetting>
      colors;  ///< by color number; no positions: the color does not pass here
  std::vector<Phase> phases;
  std::vector<SignalTable> signals;
};

/// Limits and latencies that the simulator obeys. Cycles are those of the fabric's clock.
struct WaferRules {
  int colors = 21;  ///< free ones; host transfers keep the rest
  int filters = 3;  ///< per element, likewise
  int switch_positions = 4;
  int output_queues = 6, input_queues = 8;
  int buffer_words = 4;       ///< per color and input, at most 4
  Cycle ramp_cycles = 2;      ///< each way
  Cycle rewrite_cycles = 16;  ///< from a signal entering a router to the new filter or route
  Cycle signal_cycles = 30;   ///< ... and to the first word that the element sends in answer
};

struct WaferProgram {
  int width = 0, height = 0;
  std::int32_t memory_words = 0;  ///< of send memory and of receive memory, per element
  WaferRules rules;
  std::vector<Element> elements;  ///< row by row

  int count() const { return width * height; }
  Element& at(int x, int y) { return elements[static_cast<std::size_t>(y * width + x)]; }
  const Element& at(int x, int y) const {
    return elements[static_cast<std::size_t>(y * width + x)];
  }
};

/// Throws weft::Error, naming router and color, when the program breaks a rule of the hardware:
/// too many colors, filters, positions or queues; a position that changes rx and tx at once; one
/// color with two incoming links.
void check(const WaferProgram& program);

/// Where an element would need more filters than there are: it sifts the colors that bring it the
/// fewest words. The same color is treated alike in all phases.
void sift_without_filters(WaferProgram& program);

/// Where an element would need more filters than there are: filters of phase `from` go to colors
/// that phase `to` listens to. Returns the most moves of an element.
int share_filters(WaferProgram& program, int from, int to);

struct ProgramCensus {
  int colors = 0;            ///< distinct numbers used on the wafer
  int filters = 0;           ///< the most on one element
  int switch_positions = 0;  ///< the most of one color
  int output_queues = 0;
};
ProgramCensus census(const WaferProgram& program);

}  // namespace weft::fabric
