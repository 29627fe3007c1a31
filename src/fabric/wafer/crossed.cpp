// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wafer/crossed.hpp"

#include "fabric/wafer/plan_program.hpp"

namespace weft::fabric {
namespace {

bool is_even(int x, int y) { return (x + y) % 2 == 0; }

/// Messages of one number to or from each peer, starting at number `first`.
Walk numbers(const WaferLayout& layout, std::int64_t first, std::int64_t count) {
  const auto r = static_cast<std::int32_t>(layout.words);
  return {.base = static_cast<std::int32_t>(first) * r,
          .extents = {static_cast<std::int32_t>(count), 1, 1, 1},
          .strides = {r, 0, 0, 0},
          .run_words = r};
}

/// Half a pencil: the lower numbers (0), the upper ones (1), or the numbers stored for the sister
/// (2).
Walk half_pencil(const WaferLayout& layout, int which) {
  return numbers(layout, which * layout.nx / 2, layout.nx / 2);
}

/// What half a pencil sends in the first round or later. When sending in parts (parts_kernel), the
/// numbers of each part are stored together, both in the pencil and in the numbers for the sister.
/// A walk of one round in the order of destinations: from part to part within a cycle.
Walk part_of_half(const WaferPlan& plan, const WaferLayout& layout, int which, int round) {
  const int parts = parts_of(plan);
  const std::int64_t length = layout.nx / 2 / parts;  // of half a pencil in one part
  const std::int64_t apart = which < 2 ? 2 * length : length;
  const std::int64_t first = which < 2 ? which * length : layout.nx;
  Walk walk = numbers(layout, first + round * apart, length);
  walk.strides[1] = static_cast<std::int32_t>(apart * layout.words);
  return walk;
}

/// Backward, a whole pencil goes to all elements of a line.
Walk part_of_pencil(const WaferPlan& plan, const WaferLayout& layout, int round) {
  const std::int64_t length = layout.nx / parts_of(plan);
  Walk walk = numbers(layout, round * length, length);
  walk.strides[1] = static_cast<std::int32_t>(length * layout.words);
  return walk;
}

/// Rows or columns of one parity.
struct Lines {
  bool column = false;
  int parity = 0;
};

/// The traffic of element `position` of a row or column in exchange 0 or 1, numbered as in the
/// forward transform.
LineTraffic traffic_of(const WaferPlan& plan, const WaferMachine& machine, int exchange,
                       Lines lines, int position) {
  const WaferLayout layout = layout_of(plan, machine);
  const int x = lines.column ? lines.parity : position;
  const int y = lines.column ? position : lines.parity;
  const bool even = is_even(x, y);
  int half = 2;  // the numbers of the sister
  if (exchange == 0)
    half = lines.column ? 1 : 0;  // lower kz along rows, upper kz along columns
  else if (even == lines.column)
    half = even ? 1 - x % 2 : y % 2;  // its own numbers: even elements along columns
  LineTraffic traffic{.send = half_pencil(layout, half), .receive = numbers(layout, 0, layout.nx)};
  traffic.destinations = {lines.column ? 1 - lines.parity : lines.parity, 2};
  if (plan.direction == Direction::backward) {
    std::swap(traffic.send, traffic.receive);
    std::swap(traffic.sources, traffic.destinations);
  }
  if (plan.sending != WaferSending::pencils) {
    const bool forward = plan.direction == Direction::forward;
    const auto part = [&](int round) {
      return forward ? part_of_half(plan, layout, half, round)
                     : part_of_pencil(plan, layout, round);
    };
    traffic.send = part(0);
    traffic.send_later = part(1);
    traffic.cycle = parts_of(plan);
    if (forward && half == 2)
      traffic.delays = {crossed_sister_cycles(plan, layout, machine, 0),
                        crossed_sister_cycles(plan, layout, machine, 1)};
  }
  return traffic;
}

Cycle meanwhile(const WaferPlan& plan, const WaferLayout& layout, const WaferMachine& machine) {
  return sending_cycles(plan, layout.pencils[0], machine).meanwhile;
}

/// The number of the exchange that comes first (order 0) or second (order 1).
int exchange_number(const WaferPlan& plan, int order) {
  return plan.direction == Direction::forward ? order : 1 - order;
}

/// Whether numbers are sent to the sister while the rest of the pencil is transformed: only
/// in the forward direction, where the hop comes after the pencil.
bool sisters_overlap(const WaferPlan& plan) {
  return plan.sending != WaferSending::pencils && plan.direction == Direction::forward;
}

/// Whether a block has numbers that came from the sister, and which round of them.
bool is_guest(const SendBlock& block, const WaferLayout& layout) {
  return block.words.base >= layout.nx * layout.words;
}
bool is_later_guest(const WaferPlan& plan, const SendBlock& block, const WaferLayout& layout) {
  return block.words.base >= (layout.nx + layout.nx / 2 / parts_of(plan)) * layout.words;
}

/// One hop between sisters. Forward, even elements send along their row, odd ones along their
/// column; backward, they send back in the other direction. Forward in halves, the lines of the
/// same phase, added before, forward the words that arrive.
void add_sister_exchange(WaferProgram& program, const WaferPlan& plan, const WaferMachine& machine,
                         const WaferLayout& layout, Color color, std::size_t phase) {
  const bool forward = plan.direction == Direction::forward;
  for (int y = 0; y < program.height; ++y)
    for (int x = 0; x < program.width; ++x) {
      Element& element = program.at(x, y);
      const bool even = is_even(x, y);
      const Port along_row = x % 2 == 0 ? Port::east : Port::west;
      const Port along_column = y % 2 == 0 ? Port::south : Port::north;
      // An even element (c, y) keeps the kx whose column is its own: c = 2a + 1 - half(kx). An odd
      // one (x, d) keeps the ky with d = 2a + half(ky).
      const int half = even ? x % 2 : 1 - y % 2;
      const Walk away = half_pencil(layout, half);
      const Walk guest = half_pencil(layout, 2);
      const bool sends_along_row = even == forward;
      const auto out = static_cast<Color>(color + (sends_along_row ? 0 : 1));
      const auto in = static_cast<Color>(color + (sends_along_row ? 1 : 0));
      element.colors[out].positions = {
          {Port::ramp, only(sends_along_row ? along_row : along_column)}};
      element.colors[in].positions = {
          {sends_along_row ? along_column : along_row, only(Port::ramp)}};
      Phase& here = element.phases[phase];
      here.receptions.push_back({.color = in,
                                 .into = forward ? guest : away,
                                 .area = forward ? Area::send : Area::receive});
      if (!sisters_overlap(plan)) {
        here.queues.push_back({{.color = out, .words = forward ? away : guest}});
        continue;
      }
      for (std::vector<SendBlock>& blocks : here.queues)
        for (SendBlock& block : blocks)
          if (is_guest(block, layout)) {
            block.not_before = 0;  // it waits for the words themselves
            block.after_color = in;
            block.after_words = static_cast<std::uint32_t>(guest.count()) /
                                static_cast<std::uint32_t>(
                                    is_later_guest(plan, block, layout) ? 1 : parts_of(plan));
          }
      // To the sister part by part, as they are stored there.
      const Walk first = part_of_half(plan, layout, half, 0);
      Walk later = part_of_half(plan, layout, half, 1);
      later.extents = {parts_of(plan) - 1, first.extents[0], 1, 1};
      std::swap(later.strides[0], later.strides[1]);
      here.queues.push_back(
          {{.color = out, .words = first},
           {.color = out, .words = later, .not_before = meanwhile(plan, layout, machine)}});
    }
}

/// Returns when the last word of the timetable is in memory; 0 without one.
Cycle add_lines(WaferProgram& program, const WaferPlan& plan, const WaferMachine& machine,
                const WaferLayout& layout, int order, int phase) {
  const SegmentedBroadcast options{.groups = plan.groups,
                                   .setup_cycles = machine.block_setup_cycles,
                                   .later_cycles = meanwhile(plan, layout, machine),
                                   .timed = plan.timed};
  const int exchange = exchange_number(plan, order);
  Cycle end = 0;
  for (const bool column : {false, true})
    for (int k = 0; k < (column ? plan.width : plan.height); ++k)
      end =
          std::max(end, add_segmented_broadcast(
                            program, column ? column_of(program, k) : row_of(program, k),
                            [&](int position) {
                              return traffic_of(plan, machine, exchange, {column, k % 2}, position);
                            },
                            static_cast<Color>(column ? plan.groups + 1 : 0), phase, options));
  return end;
}

}  // namespace

WaferProgram crossed_program(const WaferPlan& plan, const WaferMachine& machine) {
  const WaferLayout layout = layout_of(plan, machine);
  const auto words = static_cast<std::int32_t>((layout.nx + layout.nx / 2) * layout.words);
  const int line_colors = 2 * (plan.groups + 1);
  WaferProgram program =
      make_program(plan.width, plan.height, crossed_phases, line_colors + 2, words, machine.rules);
  const bool forward = plan.direction == Direction::forward;
  const Cycle first_end = add_lines(program, plan, machine, layout, 0, 0);
  add_lines(program, plan, machine, layout, 1, 2);
  add_sister_exchange(program, plan, machine, layout, static_cast<Color>(line_colors),
                      static_cast<std::size_t>(crossed_sister_phase(plan)));
  sift_without_filters(program);
  program.memory = memory_map(plan, machine);
  const Cycle sending = sending_cycles(plan, layout.pencils[0], machine).before;
  const std::size_t second = forward && !sisters_overlap(plan) ? 1 : 2;
  // Elements in the middle are done with the first exchange long before those at the ends. With
  // timetables of their own they would be in the way of each other's blocks.
  const Cycle hop = sisters_overlap(plan) ? 0 : crossed_sister_cycles(plan, layout, machine);
  const Cycle second_timetable = sending + first_end + hop + sending;
  for (Element& element : program.elements) {
    element.phases[0].compute_cycles = sending;
    element.phases[second].compute_cycles = sending;
    element.phases[3].compute_cycles = pencil_cycles(plan, layout.nx, machine);
    if (plan.timed) element.phases[2].timetable_at = second_timetable;
  }
  return program;
}

int crossed_sister_phase(const WaferPlan& plan) { return sisters_overlap(plan) ? 2 : 1; }

Cycle crossed_sister_cycles(const WaferPlan& plan, const WaferLayout& layout,
                            const WaferMachine& machine, int round) {
  const int parts = parts_of(plan);
  const std::int64_t share = !sisters_overlap(plan) ? parts : round == 0 ? 1 : parts - 1;
  return static_cast<Cycle>(layout.nx / 2 * share / parts * layout.words) +
         2 * machine.rules.ramp_cycles;
}

WaferProgram crossed_line_program(const WaferPlan& plan, const WaferMachine& machine, int order,
                                  bool column, int parity) {
  const WaferLayout layout = layout_of(plan, machine);
  const auto n = static_cast<int>(layout.nx);
  const auto words = static_cast<std::int32_t>((layout.nx + layout.nx / 2) * layout.words);
  WaferRules rules = machine.rules;
  if (plan.direction == Direction::backward && column)
    rules.filters -=
        2;  // every element listens to its row and its column, and the row gets filters first
  WaferProgram program =
      make_program(column ? 1 : n, column ? n : 1, 1, plan.groups + 1, words, rules);
  add_segmented_broadcast(program, column ? column_of(program, 0) : row_of(program, 0),
                          [&](int position) {
                            return traffic_of(plan, machine, exchange_number(plan, order),
                                              {column, parity}, position);
                          },
                          0, 0,
                          {.groups = plan.groups,
                           .setup_cycles = machine.block_setup_cycles,
                           .later_cycles = meanwhile(plan, layout, machine),
                           .timed = plan.timed});
  sift_without_filters(program);
  program.memory = memory_map(plan, machine);
  return program;
}

WaferProgram crossed_sister_program(const WaferPlan& plan, const WaferMachine& machine) {
  const WaferLayout layout = layout_of(plan, machine);
  const auto words = static_cast<std::int32_t>((layout.nx + layout.nx / 2) * layout.words);
  WaferProgram program = make_program(2, 2, 1, 2, words, machine.rules);
  add_sister_exchange(program, plan, machine, layout, 0, 0);
  program.memory = memory_map(plan, machine);
  return program;
}

}  // namespace weft::fabric
