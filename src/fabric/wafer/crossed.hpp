// SPDX-License-Identifier: BSD-3-Clause
// Rows and columns at once. Of the n = 2h numbers of a transformed pencil number k = a or h + a is
// the a-th of the lower or the upper half. After the z transform the lower kz (A) travel along rows
// while the upper kz (B) travel along columns; elements with x + y even receive only from their
// row, the others only from their column, so routes and filters never change:
//   A: even element (c, y) gets the x-pencil of (y, kz = a), c = 2a + (y & 1).
//   B: odd element (x, d) gets the y-pencil of (x, kz = h + a), d = 2a + 1 - (x & 1).
// For the second exchange A needs columns and B rows. Half of an element's numbers belong into the
// sister line (columns 2k and 2k + 1, rows 2k and 2k + 1): they first go one hop to the sister
// element, which sends them on together with its own half. With half(k) = 0 or 1 and the place
// k' = 2 (k mod h) + half(k), afterwards
//   A: odd element (cd, kx'), cd = 2a + 1 - half(kx), holds the y-pencil of (kx, kz);
//   B: even element (ky', rd), rd = 2a + half(ky), holds the x-pencil of (ky, kz).
// Every line carries half the words of the plain exchange, twice.
//
// Backward goes the same way in reverse: half of the elements of each line send, to all, and every
// element listens to its row and its column. That takes four filters; where there are three, the
// element takes all words of one color down the ramp and sifts them itself.
#pragma once

#include "fabric/wafer/plan.hpp"

namespace weft::fabric {

/// Phases: 0 first exchange, 1 to the sister, 2 second exchange, 3 the last pencil. Forward in
/// halves phase 1 is empty: even numbers go to the sister, and on, while the odd ones are computed.
inline constexpr int crossed_phases = 4;
int crossed_sister_phase(const WaferPlan& plan);
WaferProgram crossed_program(const WaferPlan& plan, const WaferMachine& machine);

/// One row (or column) of either parity alone, with the exchange that comes first (order 0) or
/// second as its only phase. All its elements begin together: an element begins the second exchange
/// when it is done with its row and its column, so on the outermost lines of the mesh, which are
/// the last to be done with the first, nobody begins earlier. What a line alone does not show is
/// that rows and columns share the ramps, which delays the first words of an exchange: up to 60
/// cycles.
WaferProgram crossed_line_program(const WaferPlan& plan, const WaferMachine& machine, int order,
                                  bool column, int parity);
/// Half a pencil, or in halves a quarter, one hop: no link has more than one of these messages.
Cycle crossed_sister_cycles(const WaferPlan& plan, const WaferLayout& layout,
                            const WaferMachine& machine);
/// The exchange between sisters on the four elements of a 2 x 2 mesh; all others are alike.
WaferProgram crossed_sister_program(const WaferPlan& plan, const WaferMachine& machine);

}  // namespace weft::fabric
