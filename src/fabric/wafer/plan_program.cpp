// SPDX-License-Identifier: BSD-3-Clause
// Turns wafer plans into programs for the simulator: of a single line, or of the whole mesh.
#include "fabric/wafer/plan_program.hpp"

#include <algorithm>

#include "fabric/wafer/crossed.hpp"
#include "fabric/wafer/plan.hpp"

namespace weft::fabric {
namespace {

void add_exchange(WaferProgram& program, const WaferPlan& plan, const WaferMachine& machine,
                  const Line& line, const LineTraffic& traffic, Color color, int phase,
                  Cycle later_cycles) {
  if (plan.schedule == WaferSchedule::paper)
    add_broadcast_filter(program, line, traffic, color, phase);
  else
    add_segmented_broadcast(program, line, traffic, color, phase,
                            {.groups = groups_on(plan, static_cast<int>(line.elements.size())),
                             .setup_cycles = machine.block_setup_cycles,
                             .later_cycles = later_cycles,
                             .timed = plan.timed});
}

}  // namespace

const Pencils& pencils_before(const WaferPlan& plan, const WaferLayout& layout, bool column) {
  const bool forward = plan.direction == Direction::forward;
  return layout.pencils[forward == column ? 1 : forward ? 0 : 2];
}

int colors_per_line(const WaferPlan& plan) {
  return plan.schedule == WaferSchedule::paper ? 2 : plan.groups + 1;
}

int groups_on(const WaferPlan& plan, int line) { return std::min(plan.groups, line); }

MemoryMap memory_map(const WaferPlan& plan, const WaferMachine& machine) {
  const WaferLayout layout = layout_of(plan, machine);
  const WaferMemory memory = memory_of(plan, machine);
  std::int64_t sent = layout.numbers();
  // Forward, what came from the sister is sent on; backward, it was received before.
  if (plan.schedule == WaferSchedule::crossed && plan.direction == Direction::forward)
    sent += layout.nx / 2;
  const std::int64_t begin = memory.code_bytes + memory.kernel_bytes;
  return {.bytes = memory.available_bytes,
          .send_at = begin,
          .receive_at = begin + sent * layout.words * MemoryMap::word_bytes};
}

Cycle filter_move_cycles(const WaferMachine& machine) { return 2 * machine.rules.rewrite_cycles; }

WaferProgram line_program(const WaferPlan& plan, const WaferMachine& machine, bool column) {
  const WaferLayout layout = layout_of(plan, machine);
  const int p = column ? plan.height : plan.width;
  const auto words = static_cast<std::int32_t>(layout.numbers() * layout.words);
  WaferProgram program =
      make_program(column ? 1 : p, column ? p : 1, 1, colors_per_line(plan), words, machine.rules);
  const LineTraffic traffic = column ? column_traffic(plan, layout) : row_traffic(plan, layout);
  add_exchange(program, plan, machine, column ? column_of(program, 0) : row_of(program, 0), traffic,
               0, 0, sending_cycles(plan, pencils_before(plan, layout, column), machine).meanwhile);
  program.memory = memory_map(plan, machine);
  return program;
}

WaferProgram mesh_program(const WaferPlan& plan, const WaferMachine& machine) {
  const WaferLayout layout = layout_of(plan, machine);
  if (plan.schedule == WaferSchedule::crossed) return crossed_program(plan, machine);
  const auto words = static_cast<std::int32_t>(layout.numbers() * layout.words);
  const int colors = colors_per_line(plan);
  WaferProgram program = make_program(plan.width, plan.height, 3, 2 * colors, words, machine.rules);
  program.memory = memory_map(plan, machine);
  const bool forward = plan.direction == Direction::forward;
  const int row_phase = forward ? 0 : 1;
  const SendingCycles before_rows =
      sending_cycles(plan, pencils_before(plan, layout, false), machine);
  const SendingCycles before_columns =
      sending_cycles(plan, pencils_before(plan, layout, true), machine);
  for (int y = 0; y < plan.height; ++y)
    add_exchange(program, plan, machine, row_of(program, y), row_traffic(plan, layout), 0,
                 row_phase, before_rows.meanwhile);
  for (int x = 0; x < plan.width; ++x)
    add_exchange(program, plan, machine, column_of(program, x), column_traffic(plan, layout),
                 static_cast<Color>(colors), 1 - row_phase, before_columns.meanwhile);
  const Pencils& last = layout.pencils[forward ? 2 : 0];
  const auto moves = static_cast<Cycle>(share_filters(program, 0, 1));
  for (Element& element : program.elements) {
    element.phases[0].compute_cycles = (forward ? before_rows : before_columns).before;
    element.phases[1].compute_cycles =
        (forward ? before_columns : before_rows).before + moves * filter_move_cycles(machine);
    element.phases[2].compute_cycles =  // nothing is sent after it
        static_cast<Cycle>(last.count) * pencil_cycles(plan, last.length, machine);
  }
  return program;
}

}  // namespace weft::fabric
