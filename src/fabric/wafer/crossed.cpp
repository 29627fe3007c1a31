// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wafer/crossed.hpp"

namespace weft::fabric {
namespace {

bool is_even(int x, int y) { return (x + y) % 2 == 0; }

/// Numbers first, first + 2, ... of a pencil at `base`, each to the next destination; or numbers
/// that lie side by side, step 1.
LineTraffic half_traffic(const WaferLayout& layout, std::int64_t base, std::int64_t step,
                         int destination_first) {
  const auto r = static_cast<std::int32_t>(layout.words);
  const auto n = static_cast<std::int32_t>(layout.nx);
  LineTraffic traffic;
  traffic.send = {.base = static_cast<std::int32_t>(base * r),
                  .extents = {n / 2, 1, 1, 1},
                  .strides = {static_cast<std::int32_t>(step * r), 0, 0, 0},
                  .run_words = r};
  traffic.receive = {.extents = {n, 1, 1, 1}, .strides = {r, 0, 0, 0}, .run_words = r};
  traffic.destination_first = destination_first;
  traffic.destination_step = 2;
  return traffic;
}

/// One hop between sisters: even elements send along their row, odd ones along their column.
void add_sister_exchange(WaferProgram& program, const WaferLayout& layout, Color color,
                         std::size_t phase) {
  const auto r = static_cast<std::int32_t>(layout.words);
  const auto n = static_cast<std::int32_t>(layout.nx);
  for (int y = 0; y < program.height; ++y)
    for (int x = 0; x < program.width; ++x) {
      Element& element = program.at(x, y);
      const bool even = is_even(x, y);
      const Port along_row = x % 2 == 0 ? Port::east : Port::west;
      const Port along_column = y % 2 == 0 ? Port::south : Port::north;
      const auto row_color = color;
      const auto column_color = static_cast<Color>(color + 1);
      // An even element keeps the kx whose column is its own: cd = kz + 1 - (kx & 1) = c, that is
      // kx + c odd. An odd one keeps the ky with rd = kz - 1 + (ky & 1) = d: ky + d even.
      const int given_away = even ? x % 2 : 1 - y % 2;
      const Walk give{.base = given_away * r,
                      .extents = {n / 2, 1, 1, 1},
                      .strides = {2 * r, 0, 0, 0},
                      .run_words = r};
      const Walk take{
          .base = n * r, .extents = {n / 2, 1, 1, 1}, .strides = {r, 0, 0, 0}, .run_words = r};
      const Color out = even ? row_color : column_color;
      const Color in = even ? column_color : row_color;
      element.colors[out].positions = {{Port::ramp, only(even ? along_row : along_column)}};
      element.colors[in].positions = {{even ? along_column : along_row, only(Port::ramp)}};
      element.phases[phase].queues = {{{.color = out, .words = give}}};
      element.phases[phase].receptions = {{.color = in, .into = take}};
    }
}

/// Sends of the second exchange at element (x, y): an even element sends its own half along the
/// column and the sister's along the row; an odd one the other way round.
void redirect_second_exchange(Phase& phase, int x, int y, int row_colors,
                              const WaferLayout& layout) {
  const auto r = static_cast<std::int32_t>(layout.words);
  const auto n = static_cast<std::int32_t>(layout.nx);
  const bool even = is_even(x, y);
  const auto redirect = [&](Walk& walk, bool row) {
    // First exchange: number of the destination times 2 r, plus r in columns.
    const std::int32_t number = (walk.base - (row ? 0 : r)) / (2 * r);
    const int sign = walk.strides[0] < 0 ? -1 : 1;
    const bool own = even != row;
    const std::int32_t step = own ? 2 * r : r;
    const std::int32_t first = own ? (even ? 1 - x % 2 : y % 2) * r : n * r;
    walk.base = first + number * step;
    walk.strides[0] = sign * step;
  };
  for (auto& queue : phase.queues)
    for (SendBlock& block : queue) redirect(block.words, block.color < row_colors);
  // An even element receives along its row: what it sends itself is the sister's; odd likewise.
  for (auto& [from, to] : phase.copies) redirect(from, even);
}

LineTraffic first_traffic(const WaferLayout& layout, bool column, int parity) {
  return column ? half_traffic(layout, 1, 2, 1 - parity) : half_traffic(layout, 0, 2, parity);
}

void add_lines(WaferProgram& program, const WaferPlan& plan, const WaferMachine& machine,
               const WaferLayout& layout) {
  const SegmentedBroadcast options{.groups = plan.groups,
                                   .setup_cycles = machine.block_setup_cycles};
  const auto column_color = static_cast<Color>(plan.groups + 1);
  for (int y = 0; y < plan.height; ++y)
    add_segmented_broadcast(program, row_of(program, y), first_traffic(layout, false, y % 2), 0, 0,
                            options);
  for (int x = 0; x < plan.width; ++x)
    add_segmented_broadcast(program, column_of(program, x), first_traffic(layout, true, x % 2),
                            column_color, 0, options);
  // The same routes again; what is sent differs from element to element.
  for (int y = 0; y < plan.height; ++y)
    for (int x = 0; x < plan.width; ++x) {
      program.at(x, y).phases[2] = program.at(x, y).phases[0];
      redirect_second_exchange(program.at(x, y).phases[2], x, y, plan.groups + 1, layout);
    }
}

}  // namespace

WaferProgram crossed_program(const WaferPlan& plan, const WaferMachine& machine) {
  const WaferLayout layout = layout_of(plan, machine);
  const auto words = static_cast<std::int32_t>((layout.nx + layout.nx / 2) * layout.words);
  const int line_colors = 2 * (plan.groups + 1);
  WaferProgram program =
      make_program(plan.width, plan.height, crossed_phases, line_colors + 2, words, machine.rules);
  add_lines(program, plan, machine, layout);
  add_sister_exchange(program, layout, static_cast<Color>(line_colors), 1);
  const Cycle pencil = pencil_cycles(plan, layout.nx, machine);
  for (Element& element : program.elements) {
    element.phases[0].compute_cycles = pencil;
    element.phases[1].compute_cycles = pencil;
    element.phases[2].compute_cycles = 0;
    element.phases[3].compute_cycles = pencil;
  }
  return program;
}

Cycle crossed_sister_cycles(const WaferLayout& layout, const WaferMachine& machine) {
  return static_cast<Cycle>(layout.nx / 2 * layout.words) + 2 * machine.rules.ramp_cycles;
}

WaferProgram crossed_line_program(const WaferPlan& plan, const WaferMachine& machine, bool column,
                                  int parity) {
  const WaferLayout layout = layout_of(plan, machine);
  const auto n = static_cast<int>(layout.nx);
  const auto words = static_cast<std::int32_t>((layout.nx + layout.nx / 2) * layout.words);
  WaferRules rules = machine.rules;
  rules.ramp_turn = 2;
  WaferProgram program =
      make_program(column ? 1 : n, column ? n : 1, 2, plan.groups + 1, words, rules);
  add_segmented_broadcast(program, column ? column_of(program, 0) : row_of(program, 0),
                          first_traffic(layout, column, parity), 0, 0,
                          {.groups = plan.groups, .setup_cycles = machine.block_setup_cycles});
  for (int i = 0; i < n; ++i) {
    Element& element = program.elements[static_cast<std::size_t>(i)];
    element.phases[1] = element.phases[0];
    redirect_second_exchange(element.phases[1], column ? parity : i, column ? i : parity,
                             column ? 0 : plan.groups + 1, layout);
    element.phases[0].compute_cycles = pencil_cycles(plan, layout.nx, machine);
    element.phases[1].compute_cycles =
        element.phases[0].compute_cycles + crossed_sister_cycles(layout, machine);
  }
  return program;
}

WaferProgram crossed_sister_program(const WaferPlan& plan, const WaferMachine& machine) {
  const WaferLayout layout = layout_of(plan, machine);
  const auto words = static_cast<std::int32_t>((layout.nx + layout.nx / 2) * layout.words);
  WaferProgram program = make_program(2, 2, 1, 2, words, machine.rules);
  add_sister_exchange(program, layout, 0, 0);
  return program;
}

}  // namespace weft::fabric
