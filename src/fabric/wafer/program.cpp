// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wafer/program.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

[[noreturn]] void refuse(const WaferProgram& program, std::size_t element,
                         const std::string& what) {
  const auto width = static_cast<std::size_t>(program.width);
  throw Error(ErrorCode::invalid_argument, weft::format("wafer program, router ({}, {}): {}",
                                                        element % width, element / width, what));
}

bool leaves_the_mesh(const WaferProgram& program, std::size_t element, PortSet tx) {
  const int x = static_cast<int>(element) % program.width;
  const int y = static_cast<int>(element) / program.width;
  return (contains(tx, Port::west) && x == 0) ||
         (contains(tx, Port::east) && x == program.width - 1) ||
         (contains(tx, Port::north) && y == 0) ||
         (contains(tx, Port::south) && y == program.height - 1);
}

void check_color(const WaferProgram& program, std::size_t element, std::size_t color) {
  const ColorSetting& setting = program.elements[element].colors[color];
  const auto limit = static_cast<std::size_t>(program.rules.switch_positions);
  if (setting.positions.size() > limit)
    refuse(program, element,
           weft::format("color {} has {} switch positions, the hardware {}", color,
                        setting.positions.size(), limit));
  const Route& first = setting.positions.front();
  std::optional<Port> link;
  for (const Route& route : setting.positions) {
    if (route.rx != first.rx && route.tx != first.tx)
      refuse(program, element,
             weft::format("color {}: a switch position changes rx and tx at once; the hardware "
                          "changes one of them",
                          color));
    if (leaves_the_mesh(program, element, route.tx))
      refuse(program, element, weft::format("color {} is routed off the mesh", color));
    if (route.rx == Port::ramp) continue;
    if (link && *link != route.rx)
      refuse(program, element,
             weft::format("color {} has two incoming links, {} and {}; one may send at a time",
                          color, name_of(*link), name_of(route.rx)));
    link = route.rx;
  }
}

int filters_of(const Element& element) {
  return static_cast<int>(std::ranges::count_if(
      element.colors, [](const ColorSetting& setting) { return setting.filter.has_value(); }));
}

std::size_t queues_of(const Element& element) {
  std::size_t most = 0;
  for (const Phase& phase : element.phases) most = std::max(most, phase.queues.size());
  return most;
}

std::size_t receptions_of(const Element& element) {
  std::size_t most = 0;
  for (const Phase& phase : element.phases) most = std::max(most, phase.receptions.size());
  return most;
}

/// A description of the access for error messages, such as "phase 0, queue 1, block 2 sends".
struct Access {
  const WaferProgram& program;
  std::size_t element;
  std::string what;

  [[noreturn]] void fail(const std::string& why) const { refuse(program, element, what + why); }
};

/// Checks that all addresses of the walk are inside the element's memory.
void check_walk(const Walk& walk, const Access& access) {
  constexpr std::int32_t longest = 1 << 24;
  std::int64_t count = walk.run_words;
  std::int64_t lowest = walk.base, highest = std::int64_t{walk.base} + walk.run_words - 1;
  if (walk.run_words < 1 || walk.run_words > longest)
    access.fail(weft::format(" runs of {} words; they have 1 to {}", walk.run_words, longest));
  for (std::size_t level = 0; level < Walk::depth; ++level) {
    const std::int32_t extent = walk.extents[level];
    if (extent < 0 || extent > longest)
      access.fail(weft::format(" in a loop of {} steps; loops have 0 to {}", extent, longest));
    const std::int64_t reach = std::int64_t{extent - 1} * walk.strides[level];
    (reach < 0 ? lowest : highest) += reach;
    count *= extent;
    if (count == 0) return;
    if (count > std::int64_t{1} << 32) access.fail(weft::format(" more than 2^32 words at once"));
  }
  if (lowest < 0 || highest >= access.program.memory_words)
    access.fail(weft::format(" address {}, but the element has the addresses 0 to {}",
                             lowest < 0 ? lowest : highest, access.program.memory_words - 1));
}

void check_filter(const Filter& filter, const Access& access) {
  if (filter.init > filter.limit || filter.max > filter.limit || filter.limit >= 1U << 31U)
    access.fail(
        weft::format(" with a filter of {}, {}, {}; its count begins and ends within the "
                     "limit, which is below 2^31",
                     filter.init, filter.limit, filter.max));
}

void check_color_number(Color color, const Access& access) {
  const std::size_t known = access.program.elements[access.element].colors.size();
  if (color >= known)
    access.fail(weft::format(" color {}, but the element has {} colors", color, known));
}

void check_phase(const WaferProgram& program, std::size_t element, std::size_t number) {
  const Phase& phase = program.elements[element].phases[number];
  for (std::size_t q = 0; q < phase.queues.size(); ++q)
    for (std::size_t k = 0; k < phase.queues[q].size(); ++k) {
      const SendBlock& block = phase.queues[q][k];
      const Access access{program, element,
                          weft::format("phase {}, queue {}, block {} sends", number, q, k)};
      check_walk(block.words, access);
      check_color_number(block.color, access);
      check_color_number(block.after_color, access);
      if (block.words.count() == 0 && block.control == Control::none)
        access.fail(" neither words nor a control wavelet");
    }
  for (const Reception& reception : phase.receptions) {
    const Access access{program, element,
                        weft::format("phase {}, color {} stores", number, reception.color)};
    check_walk(reception.into, access);
    check_color_number(reception.color, access);
    if (reception.dropped < 0 || reception.skipped < 0 || reception.ignored < 0)
      access.fail(
          weft::format(" words after {} dropped, {} skipped and {} ignored; none is negative",
                       reception.dropped, reception.skipped, reception.ignored));
    if (reception.sift) check_filter(*reception.sift, access);
  }
  for (const auto& [from, to] : phase.copies) {
    check_walk(from, {program, element, weft::format("phase {}, a copy reads", number)});
    check_walk(to, {program, element, weft::format("phase {}, a copy stores", number)});
    if (from.count() != to.count())
      refuse(program, element,
             weft::format("phase {}, a copy reads {} words and stores {}", number, from.count(),
                          to.count()));
  }
  for (const FilterMove& move : phase.filter_moves) {
    const Access access{program, element, weft::format("phase {}, a filter moves to", number)};
    check_color_number(move.release, access);
    check_color_number(move.acquire, access);
    check_filter(move.filter, access);
  }
}

void check_signals(const WaferProgram& program, std::size_t element) {
  for (const SignalTable& table : program.elements[element].signals) {
    const Access access{program, element, weft::format("a signal of color {} sets", table.color)};
    check_color_number(table.color, access);
    for (const SignalHandler& handler : table.handlers) {
      if (handler.filter) check_filter(*handler.filter, access);
      if (handler.route && leaves_the_mesh(program, element, handler.route->tx))
        access.fail(" a route off the mesh");
    }
  }
}

void check_passed_on(const WaferProgram& program, std::size_t element) {
  for (const Phase& phase : program.elements[element].phases)
    for (const std::vector<SendBlock>& blocks : phase.queues)
      for (const SendBlock& block : blocks) {
        const bool comes = std::ranges::any_of(phase.receptions, [&](const Reception& reception) {
          return reception.color == block.after_color && reception.words() >= block.after_words;
        });
        if (block.after_words > 0 && !comes)
          refuse(program, element,
                 weft::format("color {} waits for {} words of color {}, and so many do not come",
                              block.color, block.after_words, block.after_color));
      }
}

void check_element(const WaferProgram& program, std::size_t element) {
  const Element& here = program.elements[element];
  if (here.colors.size() > static_cast<std::size_t>(program.rules.colors))
    refuse(program, element,
           weft::format("{} colors, the hardware has {} free", here.colors.size(),
                        program.rules.colors));
  for (std::size_t color = 0; color < here.colors.size(); ++color) {
    if (!here.colors[color].positions.empty()) check_color(program, element, color);
    if (here.colors[color].filter)
      check_filter(*here.colors[color].filter,
                   {program, element, weft::format("color {} is routed", color)});
  }
  if (filters_of(here) > program.rules.filters)
    refuse(program, element,
           weft::format("{} filters, the hardware has {} free", filters_of(here),
                        program.rules.filters));
  if (queues_of(here) > static_cast<std::size_t>(program.rules.output_queues))
    refuse(program, element,
           weft::format("{} output queues, the hardware has {}", queues_of(here),
                        program.rules.output_queues));
  if (receptions_of(here) > static_cast<std::size_t>(program.rules.input_queues))
    refuse(program, element,
           weft::format("{} input queues, the hardware has {}", receptions_of(here),
                        program.rules.input_queues));
  for (std::size_t phase = 0; phase < here.phases.size(); ++phase)
    check_phase(program, element, phase);
  check_signals(program, element);
  check_passed_on(program, element);
}

}  // namespace

std::int32_t Walk::address(std::int64_t word) const {
  std::int64_t here = base + word % run_words;
  word /= run_words;
  for (int level = depth - 1; level >= 0; --level) {
    const auto index = static_cast<std::size_t>(level);
    here += (level == 0 ? word : word % extents[index]) * strides[index];
    word /= std::max(extents[index], 1);
  }
  return static_cast<std::int32_t>(here);
}

const char* name_of(Port port) {
  constexpr std::array<const char*, port_count> names = {"west", "east", "north", "south", "ramp"};
  return names[static_cast<std::size_t>(port)];
}

void check(const WaferProgram& program) {
  constexpr int longest = 1 << 15;
  if (program.width > longest || program.height > longest || program.memory_words < 0)
    throw Error(ErrorCode::invalid_argument,
                weft::format("wafer program of {} x {} with {} words per element: the simulator "
                             "takes sides up to {} and no negative memory",
                             program.width, program.height, program.memory_words, longest));
  const auto expected = static_cast<std::size_t>(program.count());
  if (program.width < 1 || program.height < 1 || program.elements.size() != expected)
    throw Error(
        ErrorCode::invalid_argument,
        weft::format("wafer program of {} x {} with {} elements: give one element per router",
                     program.width, program.height, program.elements.size()));
  if (program.rules.colors > 32 || program.rules.buffer_words < 1 || program.rules.buffer_words > 4)
    throw Error(ErrorCode::invalid_argument,
                weft::format("wafer rules: {} colors and buffers of {} words; the simulator takes "
                             "at most 32 colors and 1 to 4 words",
                             program.rules.colors, program.rules.buffer_words));
  for (std::size_t element = 0; element < expected; ++element) check_element(program, element);
}

namespace {

/// Lets software do what the filter of the color does; false without a filter. If software sifts
/// what the filter lets pass, it then does both: one message of every `passes` periods is kept.
bool sift_all(Reception& reception, const Element& element) {
  const std::optional<Filter>& filter = element.colors[reception.color].filter;
  if (!filter) return false;
  const std::uint32_t passed = filter->max + 1;  // words of every period
  const std::uint32_t period = filter->limit + 1;
  const Filter after = reception.sift.value_or(Filter{0, passed - 1, passed - 1});
  const std::uint32_t passes = (after.limit + 1) / passed;
  const std::uint32_t first = (passes - after.init / passed) % passes;
  const std::uint32_t begin = first * period + (period - filter->init) % period;
  const std::uint32_t all = passes * period;
  reception.sift = Filter{.init = (all - begin) % all, .limit = all - 1, .max = filter->max};
  reception.dropped =
      reception.dropped / static_cast<std::int32_t>(passed) * static_cast<std::int32_t>(period);
  return true;
}

}  // namespace

void sift_without_filters(WaferProgram& program) {
  for (Element& element : program.elements)
    while (filters_of(element) > program.rules.filters) {
      // The color with the fewest words down the ramp, counted in the phase with the most words.
      std::map<Color, std::int64_t> words;
      for (const Phase& phase : element.phases)
        for (Reception reception : phase.receptions) {
          if (sift_all(reception, element))
            words[reception.color] = std::max(words[reception.color], reception.words());
        }
      if (words.empty()) break;  // check() reports the error
      const Color color =
          std::ranges::min_element(words, {}, &std::pair<const Color, std::int64_t>::second)->first;
      for (Phase& phase : element.phases)
        for (Reception& reception : phase.receptions)
          if (reception.color == color) sift_all(reception, element);
      element.colors[color].filter.reset();
    }
}

int share_filters(WaferProgram& program, int from, int to) {
  int most = 0;
  for (Element& element : program.elements) {
    const auto& first = element.phases[static_cast<std::size_t>(from)].receptions;
    Phase& second = element.phases[static_cast<std::size_t>(to)];
    int moves = 0;
    for (std::size_t k = 0; filters_of(element) > program.rules.filters; ++k) {
      if (k >= first.size() || k >= second.receptions.size()) break;  // check() reports the error
      const Color release = first[first.size() - 1 - k].color;
      const Color acquire = second.receptions[second.receptions.size() - 1 - k].color;
      std::optional<Filter>& filter = element.colors[acquire].filter;
      if (!filter) continue;
      second.filter_moves.push_back({release, acquire, *filter});
      filter.reset();
      ++moves;
    }
    most = std::max(most, moves);
  }
  return most;
}

ProgramCensus census(const WaferProgram& program) {
  ProgramCensus result;
  std::vector<bool> used(32, false);
  for (const Element& element : program.elements) {
    for (std::size_t color = 0; color < element.colors.size(); ++color) {
      const auto positions = element.colors[color].positions.size();
      if (positions > 0) used[color] = true;
      result.switch_positions = std::max(result.switch_positions, static_cast<int>(positions));
    }
    result.filters = std::max(result.filters, filters_of(element));
    result.output_queues = std::max(result.output_queues, static_cast<int>(queues_of(element)));
  }
  result.colors = static_cast<int>(std::ranges::count(used, true));
  return result;
}

}  // namespace weft::fabric
