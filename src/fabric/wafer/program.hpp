// SPDX-License-Identifier: BSD-3-Clause
// The program of a wafer. A wafer is a mesh of routers, each with a processing element; the link
// between them is called ramp. Words travel as packets of one word (wavelets) on virtual channels
// (colors). The program says for every router the routes, switch positions and counter filters of
// its colors, and for every element the blocks that it sends and where it stores arriving words. It
// is plain data: built by the schedules (transposition.hpp), checked by check(), executed wavelet
// by wavelet by the simulator (simulator.hpp).
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

/// Counts the data wavelets of a color: the count starts at `init` and wraps after `limit`; a word
/// is passed to the element if the count is at most `max`. Control wavelets are not counted.
struct Filter {
  std::uint32_t init = 0, limit = 0, max = 0;
  friend bool operator==(const Filter&, const Filter&) = default;
};

/// The settings of one color at one router.
struct ColorSetting {
  std::vector<Route>
      positions;  ///< at most four; control wavelets switch to the next one, or back to the first
  std::optional<Filter> filter;  ///< between router and element
};

/// What a control wavelet does at each router that it passes, after it was routed.
enum class Control : std::uint8_t {
  none,     ///< a data wavelet
  advance,  ///< next switch position; stays at the last
  reset,    ///< first switch position
  signal,   ///< nothing at routers; it only wakes the elements that it reaches
};

/// The order of the words of a block in memory: nested loops, slowest first, around `run_words`
/// consecutive words. The outermost loop counts messages. All distances are in words and may be
/// negative.
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

/// One microthread instruction: sends words from memory on a color, then optionally a control
/// wavelet.
struct SendBlock {
  Color color = 0;
  Walk words;
  Control control = Control::none;
  std::uint16_t setup_cycles = 0;   ///< between the previous block and the first word of this one
  std::uint16_t after_signals = 0;  ///< waits for this many signals on `color`, and their handlers
  Cycle not_before = 0;  ///< its numbers are computed then; counted from the start of the sending
  Cycle scheduled = 0;   ///< its time in a timetable, which begins at the phase's `timetable_at`
  std::uint32_t after_words = 0;  ///< waits for this many words of `after_color`, which it forwards
  Color after_color = 0;
};

/// The two parts of an element's memory that exchanges use.
enum class Area : std::uint8_t { send, receive };

/// Where these parts lie in the memory of an element, in bytes. A word has four. Programs that say
/// nothing about it have as much memory as they want.
struct MemoryMap {
  static constexpr std::int64_t word_bytes = 4;
  std::int64_t bytes = std::int64_t{1} << 40;  ///< of an element
  std::int64_t send_at = 0, receive_at = 0;

  std::int64_t address(Area area, std::int64_t word) const {
    return (area == Area::send ? send_at : receive_at) + word * word_bytes;
  }
};

/// Stores the words of a color in memory, in the order of arrival. The first `skipped` and the last
/// `ignored` words are dropped: words that the element itself has sent, and words of a round that
/// is not for this element but that its filter lets pass. If an element has no filter left for a
/// color, all words come down the ramp, and the element selects its words by software (`sift`).
/// Before all that, `dropped` words of an earlier round are thrown away.
struct Reception {
  Color color = 0;
  Walk into;
  std::int32_t dropped = 0, skipped = 0, ignored = 0;
  std::optional<Filter> sift = {};
  Area area = Area::receive;

  /// The number of words that come down the ramp. With `sift`, one message of every period is
  /// stored or skipped, the rest is dropped.
  std::int64_t words() const {
    const std::int64_t wanted = into.count() + skipped + ignored;
    return dropped + (sift ? wanted / (sift->max + 1) * (sift->limit + 1) : wanted);
  }
};

/// What an element does when the k-th signal of a color reaches it: sets a new filter or a new
/// route.
struct SignalHandler {
  std::optional<Filter> filter;
  std::optional<Route> route;
};

/// Moves a filter from one color to another while the element computes: the color `release` no
/// longer goes to the element, and `acquire` is filtered from now on.
struct FilterMove {
  Color release = 0, acquire = 0;
  Filter filter;
};

/// A phase begins with computing and ends when the last word has been sent and received. Blocks
/// with `not_before` contain numbers that are computed while others are sent. A timetable counts
/// from the start of sending, or from a cycle since the start of the program, which every element
/// knows by its own counter: all elements start together.
struct Phase {
  Cycle compute_cycles = 0;                    ///< before anything is sent
  Cycle timetable_at = 0;                      ///< 0: when the element begins to send
  std::vector<FilterMove> filter_moves;        ///< at the beginning of computing
  std::vector<std::vector<SendBlock>> queues;  ///< each is sent in order; all compete for the ramp
  std::vector<Reception> receptions;
  std::vector<std::pair<Walk, Walk>> copies;  ///< memory to memory at the start: (from, to)
};

struct SignalTable {
  Color color = 0;
  std::vector<SignalHandler> handlers;  ///< handler k runs at the k-th signal of the color
};

struct Element {
  std::vector<ColorSetting> colors;  ///< by color number; no positions: the color is not used here
  std::vector<Phase> phases;
  std::vector<SignalTable> signals;
};

/// Limits and latencies of the hardware that the simulator models, in cycles of the wafer's clock.
struct WaferRules {
  int colors = 21;  ///< free for programs; transfers to the host use the rest
  int filters = 3;  ///< per element, free for programs
  int switch_positions = 4;
  int output_queues = 6, input_queues = 8;
  int buffer_words = 4;   ///< per color and input, at most 4
  Cycle ramp_cycles = 2;  ///< each way
  Cycle rewrite_cycles =
      16;  ///< from the arrival of a signal at a router to the new filter or route
  Cycle signal_cycles =
      30;  ///< from the arrival of a signal to the first word that the element sends in response
};

struct WaferProgram {
  int width = 0, height = 0;
  std::int32_t memory_words = 0;  ///< of send memory and of receive memory, per element
  MemoryMap memory;               ///< where both are; the simulator checks every store
  WaferRules rules;
  std::vector<Element> elements;  ///< row by row

  int count() const { return width * height; }
  Element& at(int x, int y) { return elements[static_cast<std::size_t>(y * width + x)]; }
  const Element& at(int x, int y) const {
    return elements[static_cast<std::size_t>(y * width + x)];
  }
};

/// Throws weft::Error, with router and color in the message, if the program breaks a rule of the
/// hardware: too many colors, filters, positions or queues; a position that changes rx and tx at
/// once; one color with two incoming links; addresses outside the element's memory.
void check(const WaferProgram& program);

/// For elements that need more filters than there are: they select words by software for the colors
/// with the fewest words. A color is treated the same way in all phases.
void sift_without_filters(WaferProgram& program);

/// For elements that need more filters than there are: filters of phase `from` move to colors that
/// are received in phase `to`. Returns the largest number of moves of any element.
int share_filters(WaferProgram& program, int from, int to);

struct ProgramCensus {
  int colors = 0;            ///< number of different colors on the wafer
  int filters = 0;           ///< largest number on one element
  int switch_positions = 0;  ///< largest number of one color
  int output_queues = 0;
};
ProgramCensus census(const WaferProgram& program);

}  // namespace weft::fabric
