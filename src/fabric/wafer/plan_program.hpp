// SPDX-License-Identifier: BSD-3-Clause
// A wafer plan as the program of its routers and elements.
#pragma once

#include "fabric/wafer/plan.hpp"

namespace weft::fabric {

int colors_per_line(const WaferPlan& plan);

/// The number of groups on a line of this length, which may be too short for all of them.
int groups_on(const WaferPlan& plan, int line);

/// Where an element has its data: after the code and what kernels need, first the numbers that it
/// sends, then those that it receives.
MemoryMap memory_map(const WaferPlan& plan, const WaferMachine& machine);

/// The pencils that are transformed before the exchange along rows or columns.
const Pencils& pencils_before(const WaferPlan& plan, const WaferLayout& layout, bool column);

/// A single line of the mesh, with its exchange as the only phase.
WaferProgram line_program(const WaferPlan& plan, const WaferMachine& machine, bool column);
/// The whole mesh with both exchanges, and the cycles of the pencils between them.
WaferProgram mesh_program(const WaferPlan& plan, const WaferMachine& machine);

/// The cycles for a color that rows and columns share: one route and one filter are rewritten
/// between the exchanges.
Cycle filter_move_cycles(const WaferMachine& machine);

}  // namespace weft::fabric
