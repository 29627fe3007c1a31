// SPDX-License-Identifier: BSD-3-Clause
// A wafer plan carried out: cycles at the chosen level of detail, and real numbers that go through
// the kernel's instructions and through the exchanges exactly as the simulated routers delivered
// them. A wrong filter gives wrong numbers.
#pragma once

#include <complex>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fabric/wafer/plan.hpp"
#include "fabric/wafer/simulator.hpp"

namespace weft::fabric {

enum class Fidelity {
  closed_form,  ///< formulas
  runs,         ///< blocks of words as one event each
  wavelets,     ///< every wavelet of one row and one column; all others are alike
  whole,        ///< every wavelet of every router of the mesh
};

struct WaferStep {
  std::string name;
  Cycle cycles = 0;
};

struct WaferTiming {
  std::vector<WaferStep> steps;  ///< pencils and exchanges; their sum is `cycles`
  Cycle cycles = 0;
  Cycle exchange = 0;  ///< of that, in exchanges
  std::uint64_t busiest_link_words = 0;
  std::string busiest_link;     ///< "row link 511 -> 510"
  ProgramCensus used;           ///< colors, filters, positions
  std::uint64_t word_hops = 0;  ///< simulated levels only
  double seconds(const WaferMachine& machine) const {
    return static_cast<double>(cycles) / machine.clock_hz;
  }
};

/// Progress: what is going on, and the share of it that is done.
using OnProgress = std::function<void(const std::string& phase, double share)>;

struct RunOptions {
  Fidelity fidelity = Fidelity::wavelets;
  int threads = 1;
  OnProgress on_progress = {};
  /// Level whole: what every router does, in the order of cycles.
  std::function<void(const TraceEvent&)> on_event = {};
  /// Level whole: the numbers as they lie in the elements when phase `phase` sends them, element
  /// after element.
  std::function<void(int phase, std::span<const std::complex<float>>)> on_send = {};
};

/// Where each number of a line (or mesh) comes from: to[k] = from[table[k]], numbers counted as
/// element * numbers_per_element + address / words.
using ExchangeTable = std::vector<std::uint32_t>;
/// Checks that numbers arrived whole, and drops the word within the number.
ExchangeTable table_of(const std::vector<std::uint32_t>& received, int words);

struct WaferExchanges {
  WaferTiming timing;
  ExchangeTable row, column;        ///< of one line: levels runs and wavelets (by then simulated)
  std::vector<ExchangeTable> mesh;  ///< of the whole mesh, one per phase: level whole
  /// Rows and columns at once, level wavelets: [exchange][row or column][parity], and the 2 x 2
  /// block.
  std::array<std::array<std::array<ExchangeTable, 2>, 2>, 2> crossed;
  ExchangeTable sister;
};

/// The cycles alone. Throws weft::Error when the problem does not fit the element's memory.
WaferTiming time_on_wafer(const WaferPlan& plan, const WaferMachine& machine,
                          const RunOptions& options = {});
/// Cycles, and how the exchanges moved the numbers.
WaferExchanges exchange_on_wafer(const WaferPlan& plan, const WaferMachine& machine,
                                 const RunOptions& options);

/// Transforms `data` in place: numbers in the order of the elements, each element's in its own
/// order (see plan.hpp): [y][x][z] before a forward transform with one pencil per element.
WaferTiming run_on_wafer(const WaferPlan& plan, const WaferMachine& machine,
                         std::span<std::complex<float>> data, const RunOptions& options = {});

/// The position in `data` of the number (x, y, z) of the array before a forward transform (or after
/// a backward one), and of (kx, ky, kz) after it (or before a backward one).
std::int64_t spatial_position(const WaferPlan& plan, const WaferLayout& layout, std::int64_t x,
                              std::int64_t y, std::int64_t z);
std::int64_t spectral_position(const WaferPlan& plan, const WaferLayout& layout, std::int64_t kx,
                               std::int64_t ky, std::int64_t kz);

}  // namespace weft::fabric
