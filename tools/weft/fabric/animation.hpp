// SPDX-License-Identifier: BSD-3-Clause
// Traces of small simulations as films: things that move from place to place, cycle by cycle, in
// one HTML page that needs nothing else. Nothing is re-enacted: every leg of every way comes from
// an event of the simulator.
#pragma once

#include <string>
#include <vector>

#include "fabric/abelian_group.hpp"
#include "fabric/wafer/run.hpp"

namespace weft::tool {

using fabric::Cycle;

/// A wavelet, or a block of a systolic array.
struct Traveller {
  int source = 0, destination = -1;  ///< elements or cells; -1: it reaches no one's memory
  int color = 0;                     ///< of the wafer; the row of a block
  int phase = 0;
  std::string what;   ///< "number 3, real part", "control: advance"
  std::string value;  ///< empty for control wavelets
};

/// From one place to another, and there until it leaves. Wafer: places are 2 * element for its
/// router and 2 * element + 1 for its memory. Systolic array: address * cells + cell.
struct Leg {
  int traveller = 0, from = 0, to = 0;
  Cycle depart = 0, arrive = 0, leave = 0;
};

/// What an element does, or what goes on everywhere (element = -1).
struct Stretch {
  int element = -1;
  Cycle begin = 0, end = 0;
  std::string name;
};

struct Film {
  std::string kind;  ///< "wafer" or "systolic"
  std::string title;
  std::vector<std::string> notes;
  int width = 0, height = 0;  ///< elements, or cells and addresses
  Cycle cycles = 0;
  std::vector<Traveller> travellers;
  std::vector<Leg> legs;           ///< by departure
  std::vector<Stretch> stretches;  ///< named; overlapping ones are listed in the order of beginning
  std::vector<Stretch> work;       ///< of single elements: "compute", "exchange"
};

/// Runs the plan at the level of whole meshes with real numbers and keeps its trace. Throws
/// weft::Error when there would be more than a page can show.
Film film_of_wafer(const fabric::WaferPlan& plan, const fabric::WaferMachine& machine);

/// The transposition of a matrix of complex numbers over a ring, torus or hypercube: masked skews,
/// shifts between cells, and back.
Film film_of_systolic(const fabric::SystolicMachine& machine, const fabric::AbelianGroup& cells);

/// The page.
std::string to_html(const Film& film);

}  // namespace weft::tool
