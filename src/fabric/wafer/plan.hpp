// SPDX-License-Identifier: BSD-3-Clause
// A 3-D or 2-D transform on a wafer: which element holds which data, how the two exchanges run,
// which kernel transforms the pencils. Plain data, checked against the machine; run.hpp times it
// and executes it on actual data.
//
// Element (a, b) of a px x py mesh starts with the z-pencils of x in [a mx, (a+1) mx) and
// y in [b my, (b+1) my). Forward: transform z; exchange along rows, so that z is distributed over
// the mesh and x is local; transform x; exchange along columns, which makes y local instead of x;
// transform y. Backward is the same in reverse order.
//
// In two dimensions element e = b px + a starts with the y-pencils of x in [e mx, (e+1) mx).
// Forward: transform y; exchange along rows, so that every ky is in the mesh column of the element
// that will hold it; exchange along columns; transform x. n x n numbers need sqrt(n) x sqrt(n)
// elements with one pencil each.
#pragma once

#include <array>
#include <string>

#include "fabric/fabric_machine.hpp"
#include "fabric/wafer/transposition.hpp"

namespace weft::fabric {

enum class WaferSchedule {
  paper,      ///< broadcast and filter as in the paper, rows then columns
  segmented,  ///< segmented broadcast S(G), rows then columns
  crossed,    ///< S(G), rows and columns at once (n x n x n on n x n, n even)
};
enum class WaferKernel { listing1, stockham };
/// What must be computed before the first word of an exchange is sent.
enum class WaferSending {
  pencils,  ///< everything
  halves,   ///< the even outputs; the odd ones are computed while these are sent
  quarter,  ///< every fourth output; the others are computed while these are sent
};

struct WaferPlan {
  int dimensions = 3;                   ///< 3, or 2: then z is 1
  std::array<std::int64_t, 3> shape{};  ///< x, y, z
  int width = 0, height = 0;            ///< of the mesh: px, py
  Precision precision = Precision::f32;
  Direction direction = Direction::forward;
  WaferSchedule schedule = WaferSchedule::paper;
  WaferKernel kernel = WaferKernel::listing1;
  int groups = 0;  ///< segments per line; 0: as many as the colors allow
  WaferSending sending = WaferSending::pencils;
  bool timed = false;  ///< segmented and crossed: blocks are sent by a timetable
  /// One transform of as many points as the array has, by the same steps with twiddles between them
  /// (forward, not `crossed`). Before it, (x, y, z) holds point (z nx + x) ny + y; after it,
  /// (kx, ky, kz) holds point kz + nz (kx + nx ky). In two dimensions: point y nx + x, and
  /// ky + ny kx.
  bool one_line = false;

  std::string describe() const;
};

/// The pencils that an element transforms between exchanges.
struct Pencils {
  std::int64_t length = 0, count = 0;  ///< length 0: none
};

/// How many parts a pencil has of which only the first is computed before sending begins: 1, 2
/// or 4.
int parts_of(const WaferPlan& plan);

/// Numbers that follow from a plan.
struct WaferLayout {
  std::int64_t nx = 0, ny = 0, nz = 0;
  std::int64_t mx = 0, my = 0,
               mz = 0;       ///< extents of x, y and z per element, in the first and second step
  std::int64_t mx_last = 0;  ///< extent of x per element after the second exchange
  int words = 2;             ///< per complex number: FP32 two, FP16 one
  std::array<Pencils, 3> pencils{};  ///< forward: before, between and after the exchanges
  /// Complex numbers per element.
  std::int64_t numbers() const { return pencils[0].length * pencils[0].count; }
};

/// Throws weft::Error if the mesh does not divide the shape, the mesh is larger than the wafer, or
/// the schedule is not possible for it.
WaferLayout layout_of(const WaferPlan& plan, const WaferMachine& machine);

/// The plan with `groups` filled in.
WaferPlan with_groups(const WaferPlan& plan, const WaferMachine& machine);

/// Whether `segmented` has so many groups that columns must reuse the colors of rows: then all
/// routes and filters are rewritten between the exchanges. This can be simulated only for single
/// lines: on the whole mesh an element would have to know when the last word of the others has
/// passed its router, and nothing tells it.
bool rewrites_routes(const WaferPlan& plan, const WaferMachine& machine);

/// Memory use of an element in bytes: two copies of its data, scratch and constants of the kernels,
/// and the code.
struct WaferMemory {
  std::int64_t data_bytes = 0, kernel_bytes = 0, code_bytes = 0, available_bytes = 0;
  std::int64_t total() const { return data_bytes + kernel_bytes + code_bytes; }
  bool fits() const { return total() <= available_bytes; }
  std::string describe() const;
};
WaferMemory memory_of(const WaferPlan& plan, const WaferMachine& machine);
/// Memory of one element that only transforms a pencil (Figure 3 of the paper): no second copy.
WaferMemory lone_pencil_memory(std::int64_t length, Precision precision,
                               const WaferMachine& machine);

/// The kernel for pencils of this length, and its cycles: for Listing 1 by the paper's formula, for
/// others by counting instructions. Zero cycles for length 0.
KernelProgram kernel_of(const WaferPlan& plan, std::int64_t length, const WaferMachine& machine);
Cycle pencil_cycles(const WaferPlan& plan, std::int64_t length, const WaferMachine& machine);

/// The kernel for pencils that are sent afterwards, and its cycles: `before` until the first words
/// may be sent, and `meanwhile` until the other half may be sent. While the other half is computed,
/// the element also handles words of the exchange; one cycle is added for each of them.
KernelProgram sending_kernel_of(const WaferPlan& plan, std::int64_t length,
                                const WaferMachine& machine);
struct SendingCycles {
  Cycle before = 0, meanwhile = 0;
};
SendingCycles sending_cycles(const WaferPlan& plan, const Pencils& pencils,
                             const WaferMachine& machine);

/// The exchanges of the forward transform: along rows (x becomes local instead of z) and along
/// columns (y instead of x). For Direction::backward send and receive are swapped.
LineTraffic row_traffic(const WaferPlan& plan, const WaferLayout& layout);
LineTraffic column_traffic(const WaferPlan& plan, const WaferLayout& layout);

/// Converts simulated cycles to those of the real machine: lines of at least slow_from_width
/// elements are slower, and every word of a pencil costs extra_cycles_per_word.
Cycle exchange_cycles(Cycle simulated, std::uint64_t busiest_link_words, std::int64_t line,
                      std::int64_t words_per_element, const WaferMachine& machine);

}  // namespace weft::fabric
