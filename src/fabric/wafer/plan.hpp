// SPDX-License-Identifier: BSD-3-Clause
// A 3-D or 2-D transform on a wafer: which element holds what, how the two exchanges run, which
// kernel transforms the pencils. A value, checked against the machine; timed and executed on real
// numbers by run.hpp.
//
// Element (a, b) of a px x py mesh starts with the z-pencils of x in [a mx, (a+1) mx) and
// y in [b my, (b+1) my). Forward: transform z; exchange along rows, so that z is spread over the
// mesh and x is at home; transform x; exchange along columns, x against y; transform y. Backward is
// the same list in reverse.
//
// In two dimensions element e = b px + a starts with the y-pencils of x in [e mx, (e+1) mx).
// Forward: transform y; exchange along rows, so that every ky is in the column of the element that
// will hold it; exchange along columns; transform x. n x n fits on sqrt(n) x sqrt(n) elements, one
// pencil each.
#pragma once

#include <array>
#include <string>

#include "fabric/machine.hpp"
#include "fabric/wafer/transposition.hpp"

namespace weft::fabric {

enum class WaferSchedule {
  paper,      ///< broadcast and filter, rows then columns
  segmented,  ///< S(G), rows then columns
  crossed,    ///< S(G), rows and columns at once (n x n x n on n x n, n even)
};
enum class WaferKernel { listing1, stockham };
/// What is transformed before the first word of an exchange is sent.
enum class WaferSending {
  pencils,  ///< everything
  halves,   ///< the even outputs; the odd ones are computed while these are on their way
};

struct WaferPlan {
  int dimensions = 3;                   ///< 3, or 2: then z is 1
  std::array<std::int64_t, 3> shape{};  ///< x, y, z
  int width = 0, height = 0;            ///< of the mesh: px, py
  Precision precision = Precision::f32;
  Direction direction = Direction::forward;
  WaferSchedule schedule = WaferSchedule::paper;
  WaferKernel kernel = WaferKernel::listing1;
  int groups = 0;  ///< segments per line; 0: the most that the colors allow
  WaferSending sending = WaferSending::pencils;

  std::string describe() const;
};

/// What an element transforms between exchanges.
struct Pencils {
  std::int64_t length = 0, count = 0;  ///< length 0: nothing
};

/// What follows from a plan.
struct WaferLayout {
  std::int64_t nx = 0, ny = 0, nz = 0;
  std::int64_t mx = 0, my = 0, mz = 0;  ///< of x, y and z per element, first and second step
  std::int64_t mx_last = 0;             ///< of x per element after the second exchange
  int words = 2;                        ///< per complex number: FP32 two, FP16 one
  std::array<Pencils, 3> pencils{};     ///< forward: before, between and after the exchanges
  /// Complex numbers per element.
  std::int64_t numbers() const { return pencils[0].length * pencils[0].count; }
};

/// Throws weft::Error when the shape does not divide over the mesh, the mesh is larger than the
/// wafer, or the schedule does not serve it.
WaferLayout layout_of(const WaferPlan& plan, const WaferMachine& machine);

/// The plan with `groups` filled in.
WaferPlan with_groups(const WaferPlan& plan, const WaferMachine& machine);

int colors_per_line(const WaferPlan& plan);

/// Of a line that is too short for all of them.
int groups_on(const WaferPlan& plan, int line);

/// `segmented` in so many groups that columns need the colors of rows: all routes and filters are
/// rewritten in between. Only lines are simulated so: on the mesh an element may not rewrite its
/// router before the last word of others has passed it, and nothing there tells it.
bool rewrites_routes(const WaferPlan& plan, const WaferMachine& machine);

/// Bytes of an element: two copies of its data, what the kernel needs beside them, and the code.
struct WaferMemory {
  std::int64_t data_bytes = 0, kernel_bytes = 0, code_bytes = 0, available_bytes = 0;
  std::int64_t total() const { return data_bytes + kernel_bytes + code_bytes; }
  bool fits() const { return total() <= available_bytes; }
  std::string describe() const;
};
WaferMemory memory_of(const WaferPlan& plan, const WaferMachine& machine);
/// Of one element that transforms a pencil alone (Figure 3): no second copy.
WaferMemory lone_pencil_memory(std::int64_t length, Precision precision,
                               const WaferMachine& machine);

/// The kernel for pencils of a length, and its cycles: by the paper's formula for Listing 1, by
/// counting for others. Nothing for length 0.
KernelProgram kernel_of(const WaferPlan& plan, std::int64_t length, const WaferMachine& machine);
Cycle pencil_cycles(const WaferPlan& plan, std::int64_t length, const WaferMachine& machine);

/// The kernel of pencils that are sent afterwards, and what it takes: until words may be sent, and
/// from then on until the other half may be. That half shares its element with the words that come
/// and go, and is charged a cycle for each word of the exchange, whenever it passes.
KernelProgram sending_kernel_of(const WaferPlan& plan, std::int64_t length,
                                const WaferMachine& machine);
struct SendingCycles {
  Cycle before = 0, meanwhile = 0;
};
SendingCycles sending_cycles(const WaferPlan& plan, const Pencils& pencils,
                             const WaferMachine& machine);

/// Which pencils are transformed before the exchange along rows or columns.
const Pencils& pencils_before(const WaferPlan& plan, const WaferLayout& layout, bool column);

/// The exchanges in forward order: along rows (z against x) and along columns (x against y). For
/// Direction::backward with send and receive swapped.
LineTraffic row_traffic(const WaferPlan& plan, const WaferLayout& layout);
LineTraffic column_traffic(const WaferPlan& plan, const WaferLayout& layout);

/// One line of the mesh alone, with its exchange as the only phase.
WaferProgram line_program(const WaferPlan& plan, const WaferMachine& machine, bool column);
/// The whole mesh with both exchanges, and the cycles of the pencils in between.
WaferProgram mesh_program(const WaferPlan& plan, const WaferMachine& machine);

/// A color that rows and columns share: one route and one filter to rewrite in between.
Cycle filter_move_cycles(const WaferMachine& machine);

/// From simulated cycles to those of the machine: lines from slow_from_width on stream slower, and
/// every word of a pencil costs extra_cycles_per_word.
Cycle exchange_cycles(Cycle simulated, std::uint64_t busiest_link_words, std::int64_t line,
                      std::int64_t words_per_element, const WaferMachine& machine);

}  // namespace weft::fabric
