// SPDX-License-Identifier: BSD-3-Clause
// The segmented broadcast S(G), own block first, and what bounds it.
#include <fmt/format.h>

#include <algorithm>

#include "fabric/wafer/line.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

/// One segment in the direction of travel: [begin, end) of positions, and its destinations.
struct Segment {
  int begin = 0, end = 0;
  std::vector<int> destinations;
  Color color = 0;
  int last() const { return destinations.back(); }
};

/// Segments in the order of travel. Their bounds are the same in both directions, so that the
/// routes of segment k upward and of segment k+1 downward never meet and may share a number.
std::vector<Segment> segments_of(const DirectedLine& line, const LineTraffic& traffic, Color color,
                                 int groups, Toward toward) {
  const int p = line.count();
  std::vector<Segment> result;
  for (int k = 0; k < groups; ++k) {
    const int real = toward == Toward::up ? k : groups - 1 - k;
    const int low = static_cast<int>(std::int64_t{p} * real / groups);
    const int high = static_cast<int>(std::int64_t{p} * (real + 1) / groups);
    Segment segment;
    segment.begin = toward == Toward::up ? low : p - high;
    segment.end = toward == Toward::up ? high : p - low;
    for (int i = segment.begin; i < segment.end; ++i)
      if (line.is_destination(traffic, i)) segment.destinations.push_back(i);
    segment.color = static_cast<Color>(color + real + (toward == Toward::up ? 1 : 0));
    if (!segment.destinations.empty() && segment.last() > 0) result.push_back(segment);
  }
  return result;
}

void add_route(WaferProgram& program, const DirectedLine& line, const LineTraffic& traffic,
               const Segment& segment, int i) {
  ColorSetting& setting =
      program.elements[static_cast<std::size_t>(line.element(i))].colors[segment.color];
  const bool destination = i >= segment.begin && line.is_destination(traffic, i);
  const bool last = i == segment.last();
  const PortSet tx = static_cast<PortSet>((destination ? only(Port::ramp) : PortSet{0}) |
                                          (last ? PortSet{0} : only(line.downstream())));
  setting.positions.clear();
  if (!last) setting.positions.push_back({Port::ramp, tx});  // its own block first
  if (i > 0) setting.positions.push_back({line.upstream(), tx});
}

void add_reception(WaferProgram& program, const DirectedLine& line, const LineTraffic& traffic,
                   const Segment& segment, std::size_t number, int phase) {
  const int i = segment.destinations[number];
  Element& element = program.elements[static_cast<std::size_t>(line.element(i))];
  const std::int32_t words = message_words(traffic);
  const auto period =
      static_cast<std::uint32_t>(words) * static_cast<std::uint32_t>(segment.destinations.size());
  const auto begin = static_cast<std::uint32_t>(words) * static_cast<std::uint32_t>(number);
  element.colors[segment.color].filter = Filter{.init = (period - begin) % period,
                                                .limit = period - 1,
                                                .max = static_cast<std::uint32_t>(words) - 1};
  if (i == 0) return;  // nobody is upstream, but its own block passes its filter: see below
  element.phases[static_cast<std::size_t>(phase)].receptions.push_back(
      {.color = segment.color,
       .into = line.receive(traffic, i - 1, i, -1),
       .skipped = i == segment.last() ? 0 : words});
}

void add_direction(WaferProgram& program, const DirectedLine& line, const LineTraffic& traffic,
                   const std::vector<Segment>& segments, int phase_number,
                   const SegmentedBroadcast& options) {
  const std::int32_t words = message_words(traffic);
  for (const Segment& segment : segments) {
    for (int i = 0; i <= segment.last(); ++i) add_route(program, line, traffic, segment, i);
    for (std::size_t d = 0; d < segment.destinations.size(); ++d)
      add_reception(program, line, traffic, segment, d, phase_number);
    if (segment.destinations.front() == 0) {  // drops what the first element sends to itself
      Element& first = program.elements[static_cast<std::size_t>(line.element(0))];
      first.phases[static_cast<std::size_t>(phase_number)].receptions.push_back(
          {.color = segment.color, .into = {}, .skipped = words});
    }
  }
  for (int i = 0; i < line.count(); ++i) {
    std::vector<SendBlock> queue;  // nearest segment first
    for (const Segment& segment : segments) {
      if (i >= segment.last()) continue;
      queue.push_back({.color = segment.color,
                       .words = line.send(traffic, segment.destinations.front(),
                                          static_cast<int>(segment.destinations.size())),
                       .control = i == 0 ? Control::reset : Control::advance,
                       .setup_cycles = static_cast<std::uint16_t>(options.setup_cycles)});
    }
    if (queue.empty()) continue;
    program.elements[static_cast<std::size_t>(line.element(i))]
        .phases[static_cast<std::size_t>(phase_number)]
        .queues.push_back(std::move(queue));
  }
}

}  // namespace

void add_segmented_broadcast(WaferProgram& program, const Line& line, const LineTraffic& traffic,
                             Color color, int phase, const SegmentedBroadcast& options) {
  const int p = static_cast<int>(line.elements.size());
  if (options.groups < 1 || options.groups > p)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("segmented broadcast with {} groups on a line of {}: groups must be 1 "
                            "to {}",
                            options.groups, p, p));
  const DirectedLine up(line, Toward::up);
  const DirectedLine down(line, Toward::down);
  for (int i = 0; i < p; ++i)
    copy_own_message(program.elements[static_cast<std::size_t>(up.element(i))]
                         .phases[static_cast<std::size_t>(phase)],
                     up, traffic, i);
  add_direction(program, up, traffic, segments_of(up, traffic, color, options.groups, Toward::up),
                phase, options);
  add_direction(program, down, traffic,
                segments_of(down, traffic, color, options.groups, Toward::down), phase, options);
}

std::int64_t segmented_broadcast_load(std::int64_t elements, std::int64_t words, int groups) {
  std::int64_t most = 0;
  for (int g = 0; g < groups; ++g) {
    const std::int64_t begin = elements * g / groups;
    const std::int64_t end = elements * (g + 1) / groups;
    // The link into a segment, and the last one inside it: all upstream, to this segment and the
    // ones behind it.
    most = std::max({most, begin * ((elements - begin) * words + groups - g),
                     (end - 1) * ((elements - begin) * words + groups - g)});
  }
  return most;
}

std::int64_t line_alltoall_bound(std::int64_t elements, std::int64_t words) {
  return words * (elements / 2) * (elements - elements / 2);
}

Line row_of(const WaferProgram& program, int y) {
  Line line{.elements = {}, .up = Port::east};
  for (int x = 0; x < program.width; ++x) line.elements.push_back(y * program.width + x);
  return line;
}

Line column_of(const WaferProgram& program, int x) {
  Line line{.elements = {}, .up = Port::south};
  for (int y = 0; y < program.height; ++y) line.elements.push_back(y * program.width + x);
  return line;
}

WaferProgram make_program(int width, int height, int phases, int colors, std::int32_t memory_words,
                          const WaferRules& rules) {
  WaferProgram program{.width = width,
                       .height = height,
                       .memory_words = memory_words,
                       .rules = rules,
                       .elements = {}};
  Element element;
  element.colors.resize(static_cast<std::size_t>(colors));
  element.phases.resize(static_cast<std::size_t>(phases));
  program.elements.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                          element);
  return program;
}

}  // namespace weft::fabric
