// SPDX-License-Identifier: BSD-3-Clause
// The segmented broadcast S(G), where each element sends its own block first, and its lower bound.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/format.hpp"
#include "fabric/wafer/line.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

/// One segment in the direction of travel: positions [begin, end), and its destinations.
struct Segment {
  int begin = 0, end = 0;
  std::vector<int> destinations;
  std::array<std::vector<int>, 2> in_round;  ///< the same, by round
  Color color = 0;
  int last() const { return destinations.back(); }
};

/// Data of one direction of a line that all its segments use.
struct OneWay {
  WaferProgram& program;
  DirectedLine line;
  const TrafficAt& traffic;
  int phase;
  SegmentedBroadcast options;
  std::vector<int> sources = {};  ///< in the order of travel

  LineTraffic at(int i) const { return traffic(line.real(i)); }
  bool is_source(int i) const { return std::ranges::binary_search(sources, i); }
  Element& element(int i) const {
    return program.elements[static_cast<std::size_t>(line.element(i))];
  }
  Phase& phase_of(int i) const { return element(i).phases[static_cast<std::size_t>(phase)]; }
  /// Number of sources upstream of i.
  int sources_before(int i) const {
    return static_cast<int>(std::ranges::lower_bound(sources, i) - sources.begin());
  }
  int rounds() const { return at(0).rounds(); }
  std::size_t round_of(int i) const {
    return static_cast<std::size_t>(at(i).round_of(line.real(i)));
  }
  /// Cycles after the start of sending until source i has the words of a round.
  Cycle ready(int i, std::size_t round) const {
    return at(i).delays[round] + (round == 0 ? 0 : options.later_cycles);
  }
};

/// The limits of the segments. With two rounds, every segment has whole cycles.
std::vector<std::int64_t> limits_of(int positions, const SegmentedBroadcast& options,
                                    const LineTraffic& traffic) {
  const int unit =
      traffic.rounds() == 1 && !options.timed ? 1 : traffic.cycle * traffic.destinations.step;
  return segment_limits(positions, options.groups, options.timed, unit);
}

/// Segments in the order of travel. Their limits are the same in both directions, so that the
/// upward routes of segment k and the downward routes of segment k+1 never meet and can use the
/// same color.
std::vector<Segment> segments_of(const OneWay& direction, Color color, Toward toward) {
  const DirectedLine& line = direction.line;
  const int p = line.count(), groups = direction.options.groups;
  const std::vector<std::int64_t> limits = limits_of(p, direction.options, direction.at(0));
  std::vector<Segment> result;
  for (int k = 0; k < groups; ++k) {
    const int real = toward == Toward::up ? k : groups - 1 - k;
    const auto low = static_cast<int>(limits[static_cast<std::size_t>(real)]);
    const auto high = static_cast<int>(limits[static_cast<std::size_t>(real) + 1]);
    Segment segment;
    segment.begin = toward == Toward::up ? low : p - high;
    segment.end = toward == Toward::up ? high : p - low;
    for (int i = segment.begin; i < segment.end; ++i)
      if (line.is_destination(direction.at(i), i)) {
        segment.destinations.push_back(i);
        segment.in_round[direction.round_of(i)].push_back(i);
      }
    segment.color = static_cast<Color>(color + real + (toward == Toward::up ? 1 : 0));
    if (!segment.destinations.empty() && direction.sources_before(segment.last()) > 0)
      result.push_back(segment);
  }
  return result;
}

void add_route(const OneWay& direction, const Segment& segment, int i) {
  const DirectedLine& line = direction.line;
  const bool destination = i >= segment.begin && line.is_destination(direction.at(i), i);
  const bool last = i == segment.last();
  const PortSet tx = static_cast<PortSet>((destination ? only(Port::ramp) : PortSet{0}) |
                                          (last ? PortSet{0} : only(line.downstream())));
  std::vector<Route>& positions = direction.element(i).colors[segment.color].positions;
  positions.clear();
  if (!last && direction.is_source(i)) positions.push_back({Port::ramp, tx});  // own block first
  if (i > direction.sources.front()) positions.push_back({line.upstream(), tx});
}

void add_reception(const OneWay& direction, const Segment& segment, int i) {
  const LineTraffic traffic = direction.at(i);
  const std::int32_t words = message_words(traffic);
  const int sources = direction.sources_before(i);
  const bool hears_itself = direction.is_source(i) && i != segment.last();
  if (sources == 0 && !hears_itself) return;
  const std::size_t round = direction.round_of(i);
  const std::vector<int>& destinations = segment.in_round[round];
  const auto number =
      static_cast<std::size_t>(std::ranges::lower_bound(destinations, i) - destinations.begin());
  const std::size_t of_period = segment.in_round[0].size();  // messages
  const auto period = static_cast<std::uint32_t>(words) * static_cast<std::uint32_t>(of_period);
  const auto begin =
      static_cast<std::uint32_t>(words) * static_cast<std::uint32_t>(number % of_period);
  direction.element(i).colors[segment.color].filter =
      Filter{.init = (period - begin) % period,
             .limit = period - 1,
             .max = static_cast<std::uint32_t>(words) - 1};
  const std::int32_t own_words = hears_itself ? words : 0;
  const std::int32_t round_words = own_words + sources * words;
  Reception reception{
      .color = segment.color,
      .into = sources > 0 ? direction.line.receive(
                                traffic, direction.sources[static_cast<std::size_t>(sources - 1)],
                                sources, -1)
                          : Walk{},
      .skipped = own_words};
  if (traffic.rounds() == 2 && round == 0) reception.ignored = (traffic.cycle - 1) * round_words;
  if (round == 1) reception.dropped = round_words;
  if (round == 1 && traffic.cycle > 2) {
    const auto message = static_cast<std::uint32_t>(words);
    const std::uint32_t all = static_cast<std::uint32_t>(traffic.cycle - 1) * message;
    const auto place = static_cast<std::uint32_t>(number / of_period) * message;
    reception.sift = Filter{.init = (all - place) % all, .limit = all - 1, .max = message - 1};
  }
  direction.phase_of(i).receptions.push_back(reception);
}

/// When each source may send its block to each segment, by round: [round][segment][source].
using Timetable = std::array<std::vector<std::vector<Cycle>>, 2>;

/// The timetable of one direction. The block of source s to a segment takes the links from s to the
/// end of the segment. Blocks of one color follow each other upstream, and rounds one another. A
/// block takes the first time at which its links are free and its element can have set it up;
/// farther segments choose first.
class Timing {
 public:
  Timing(const OneWay& direction, const std::vector<Segment>& segments)
      : direction_(direction),
        segments_(segments),
        blocks_(segments.size()),
        sent_by_(static_cast<std::size_t>(direction.line.count())) {}

  Timetable table() {
    Timetable table;
    for (std::size_t round = 0; round < static_cast<std::size_t>(direction_.rounds()); ++round) {
      table[round].resize(segments_.size());
      for (std::size_t g = segments_.size(); g-- > 0;) table[round][g] = times_of(g, round);
    }
    return table;
  }

  /// When the last word of the table is in memory.
  Cycle end() const {
    Cycle end = 0;
    for (std::size_t g = 0; g < segments_.size(); ++g)
      for (const Block& block : blocks_[g])
        end = std::max(end, block.end + static_cast<Cycle>(segments_[g].last() - block.source));
    return end + 2 * direction_.program.rules.ramp_cycles;
  }

 private:
  struct Block {
    int source = 0;
    Cycle begin = 0, end = 0;
  };

  std::vector<Cycle> times_of(std::size_t g, std::size_t round) {
    const auto words =
        static_cast<Cycle>(message_words(direction_.at(0))) * segments_[g].in_round[round].size();
    const Cycle cycles = words + 1;  // the control wavelet
    // The reset at the end of a round takes a cycle per position to the source that sends next.
    Cycle now = blocks_[g].empty()
                    ? 0
                    : blocks_[g].back().end +
                          static_cast<Cycle>(segments_[g].last() - direction_.sources.front());
    std::vector<Cycle> times(direction_.sources.size(), 0);
    for (auto s = static_cast<std::size_t>(direction_.sources_before(segments_[g].last()));
         s-- > 0;) {
      const int source = direction_.sources[s];
      now = first_free(g, source, std::max(now, direction_.ready(source, round)), cycles);
      times[s] = now;
      blocks_[g].push_back({source, now, now + cycles});
      sent_by_[static_cast<std::size_t>(source)].push_back(blocks_[g].back());
      now += cycles;
    }
    return times;
  }

  /// The first time from `now` on in which no block of another color needs a link of this one.
  Cycle first_free(std::size_t g, int source, Cycle now, Cycle cycles) const {
    const int last = segments_[g].last();
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t h = 0; h < segments_.size(); ++h) {
        if (h == g || source >= segments_[h].last()) continue;
        for (auto other = std::ranges::upper_bound(blocks_[h], now, {}, &Block::end);
             other != blocks_[h].end() && other->begin < now + cycles; ++other) {
          if (other->source >= last) continue;
          now = other->end;
          moved = true;
        }
      }
      const Cycle setup = direction_.options.setup_cycles;
      for (const Block& other : sent_by_[static_cast<std::size_t>(source)])
        if (now < other.end + setup && other.begin < now + cycles + setup) {
          now = other.end + setup;
          moved = true;
        }
    }
    return now;
  }

  const OneWay& direction_;
  const std::vector<Segment>& segments_;
  std::vector<std::vector<Block>> blocks_;   ///< by segment, in the order of time
  std::vector<std::vector<Block>> sent_by_;  ///< by position
};

void add_sends(const OneWay& direction, const std::vector<Segment>& segments,
               const Timetable& times, int i) {
  const LineTraffic traffic = direction.at(i);
  std::vector<SendBlock> queue;  // nearest segment first
  for (std::size_t round = 0; round < static_cast<std::size_t>(traffic.rounds()); ++round)
    for (const Segment& segment : segments) {
      if (i >= segment.last()) continue;
      const std::vector<int>& destinations = segment.in_round[round];
      queue.push_back(
          {.color = segment.color,
           .words = direction.line.send(traffic, destinations.front(),
                                        static_cast<int>(destinations.size())),
           .control = i == direction.sources.front() ? Control::reset : Control::advance,
           .setup_cycles = static_cast<std::uint16_t>(direction.options.setup_cycles),
           .not_before = direction.ready(i, round)});
      if (!direction.options.timed) continue;
      const auto g = static_cast<std::size_t>(&segment - segments.data());
      queue.back().scheduled =
          times[round][g][static_cast<std::size_t>(direction.sources_before(i))];
    }
  if (direction.options.timed) std::ranges::stable_sort(queue, {}, &SendBlock::scheduled);
  if (!queue.empty()) direction.phase_of(i).queues.push_back(std::move(queue));
}

Cycle add_direction(OneWay direction, Color color, Toward toward) {
  for (int i = 0; i < direction.line.count(); ++i)
    if (direction.line.is_source(direction.at(i), i)) direction.sources.push_back(i);
  const std::vector<Segment> segments = segments_of(direction, color, toward);
  for (const Segment& segment : segments) {
    for (int i = direction.sources.front(); i <= segment.last(); ++i)
      add_route(direction, segment, i);
    for (const int i : segment.destinations) add_reception(direction, segment, i);
  }
  Timing timing(direction, segments);
  const Timetable times = direction.options.timed ? timing.table() : Timetable{};
  for (const int i : direction.sources) add_sends(direction, segments, times, i);
  return direction.options.timed ? timing.end() : 0;
}

}  // namespace

Cycle add_segmented_broadcast(WaferProgram& program, const Line& line, const TrafficAt& traffic,
                              Color color, int phase, const SegmentedBroadcast& options) {
  const int p = static_cast<int>(line.elements.size());
  if (options.groups < 1 || options.groups > p)
    throw Error(ErrorCode::invalid_argument,
                weft::format("segmented broadcast with {} groups on a line of {}: groups must be 1 "
                             "to {}",
                             options.groups, p, p));
  const int unit = traffic(0).cycle * traffic(0).destinations.step;
  if (traffic(0).rounds() == 2 && (p % unit != 0 || options.groups > p / unit))
    throw Error(ErrorCode::invalid_argument,
                weft::format("segmented broadcast in two rounds with {} groups on a line of {}: "
                             "every group needs whole units of {} elements",
                             options.groups, p, unit));
  const DirectedLine up(line, Toward::up);
  for (int i = 0; i < p; ++i)
    copy_own_message(program.elements[static_cast<std::size_t>(up.element(i))]
                         .phases[static_cast<std::size_t>(phase)],
                     up, traffic(i), i);
  Cycle end = 0;
  for (const Toward toward : {Toward::up, Toward::down})
    end =
        std::max(end, add_direction({program, DirectedLine(line, toward), traffic, phase, options},
                                    color, toward));
  return end;
}

Cycle add_segmented_broadcast(WaferProgram& program, const Line& line, const LineTraffic& traffic,
                              Color color, int phase, const SegmentedBroadcast& options) {
  return add_segmented_broadcast(
      program, line, [&](int) { return traffic; }, color, phase, options);
}

std::vector<std::int64_t> segment_limits(std::int64_t positions, int groups, bool timed, int unit) {
  std::vector<std::int64_t> limits(static_cast<std::size_t>(groups) + 1, positions);
  const auto last = static_cast<std::size_t>(groups);
  for (std::size_t k = 0; k < last; ++k)
    limits[k] = positions / unit * static_cast<std::int64_t>(k) / groups * unit;
  if (!timed) return limits;
  // The smallest load that limits in whole units allow: each as far downstream as it lets them, up
  // to the middle, and the same from the other end.
  const std::int64_t middle = positions / 2 / unit * unit;
  const double cosine = std::cos(std::numbers::pi / (groups + 2));
  const double least = static_cast<double>(positions * positions) / (4 * cosine * cosine);
  for (auto load = static_cast<std::int64_t>(least);; load += std::int64_t{unit} * unit) {
    for (std::size_t k = 1; k < last; ++k)
      limits[k] = 2 * k <= last
                      ? std::min(middle, load / (positions - limits[k - 1]) / unit * unit)
                      : std::max(limits[k - 1], (positions - limits[last - k]) / unit * unit);
    std::int64_t busiest = 0;
    for (std::size_t k = 0; k < last; ++k)
      busiest = std::max(busiest, limits[k + 1] * (positions - limits[k]));
    if (busiest <= load || load > positions * positions) return limits;
  }
}

std::int64_t segmented_broadcast_load(std::int64_t elements, std::int64_t words, int groups,
                                      bool timed, std::int64_t rounds) {
  const std::vector<std::int64_t> limits = segment_limits(elements, groups, timed);
  std::int64_t most = 0;
  for (int g = 0; g < groups; ++g) {
    const std::int64_t begin = limits[static_cast<std::size_t>(g)];
    const std::int64_t end = limits[static_cast<std::size_t>(g) + 1];
    // The link into a segment, and the last link inside it: words from all upstream elements to
    // this segment and the next ones.
    const std::int64_t block = (elements - begin) * words + rounds * (groups - g);
    most = std::max({most, begin * block, (end - 1) * block});
  }
  return most;
}

}  // namespace weft::fabric
