// SPDX-License-Identifier: BSD-3-Clause
// The schedule `crossed`: exchanges along rows and columns at the same time. Of the n = 2h numbers
// of a transformed pencil, number k = a is the a-th of the lower half and k = h + a the a-th of the
// upper half. After the z transform the lower kz (A) travel along rows while the upper kz (B)
// travel along columns; elements with x + y even receive only from their row, the others only from
// their column, so routes and filters never change:
//   A: even element (c, y) gets the x-pencil of (y, kz = a), c = 2a + (y & 1).
//   B: odd element (x, d) gets the y-pencil of (x, kz = h + a), d = 2a + 1 - (x & 1).
// For the second exchange A needs columns and B needs rows. Columns 2k and 2k + 1 are sisters, and
// so are rows 2k and 2k + 1. Half of an element's numbers must travel along the sister line: they
// first go one hop to the sister element, which sends them together with its own half. With half(k)
// = 0 or 1 and the place k' = 2 (k mod h) + half(k), afterwards
//   A: odd element (cd, kx'), cd = 2a + 1 - half(kx), holds the y-pencil of (kx, kz);
//   B: even element (ky', rd), rd = 2a + half(ky), holds the x-pencil of (ky, kz).
// Every line carries half the words of an exchange along rows only, in each of two exchanges.
//
// The backward transform does the same in reverse order: half of the elements of each line send, to
// all, and every element listens to its row and its column. This needs four filters. If there are
// only three, the element takes all words of one color down the ramp (the link from router to
// element) and drops those for others by software.
#pragma once

#include "fabric/wafer/plan.hpp"

namespace weft::fabric {

/// Phases: 0 first exchange, 1 to the sister, 2 second exchange, 3 the last pencil. Forward in
/// halves, phase 1 is empty: even numbers go to the sister and further while the odd ones are
/// computed.
inline constexpr int crossed_phases = 4;
int crossed_sister_phase(const WaferPlan& plan);
WaferProgram crossed_program(const WaferPlan& plan, const WaferMachine& machine);

/// A single row (or column) of one parity, with the first (order 0) or second (order 1) exchange as
/// its only phase. All its elements start together. This is right for the outermost lines of the
/// mesh, which determine the time: an element starts the second exchange when it has finished its
/// row and its column, and elements of the outermost lines finish the first exchange last. A single
/// line does not show that rows and columns share the ramps, which delays the first words of an
/// exchange by up to 60 cycles.
WaferProgram crossed_line_program(const WaferPlan& plan, const WaferMachine& machine, int order,
                                  bool column, int parity);
/// Cycles to send half a pencil (in parts: what is sent in a round) over one hop; no link carries
/// more than one of these messages.
Cycle crossed_sister_cycles(const WaferPlan& plan, const WaferLayout& layout,
                            const WaferMachine& machine, int round = 0);
/// The exchange between sisters on the four elements of a 2 x 2 mesh; all others do the same.
WaferProgram crossed_sister_program(const WaferPlan& plan, const WaferMachine& machine);

}  // namespace weft::fabric
