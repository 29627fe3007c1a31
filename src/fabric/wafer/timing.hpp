// SPDX-License-Identifier: BSD-3-Clause
// The cycles of a wafer plan at the chosen level of detail, and where its exchanges move each
// number.
#pragma once

#include <array>
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
  runs,         ///< one event per block of words
  wavelets,     ///< every wavelet of one row and one column; all others behave the same
  whole,        ///< every wavelet of every router of the mesh
};

struct WaferStep {
  std::string name;
  Cycle cycles = 0;
};

struct WaferTiming {
  std::vector<WaferStep> steps;  ///< pencils and exchanges; their sum is `cycles`
  Cycle cycles = 0;
  Cycle exchange = 0;  ///< the part of `cycles` in exchanges
  std::uint64_t busiest_link_words = 0;
  std::string busiest_link;     ///< "row link 511 -> 510"
  ProgramCensus used;           ///< colors, filters, positions
  std::uint64_t word_hops = 0;  ///< only if simulated
  double seconds(const WaferMachine& machine) const {
    return static_cast<double>(cycles) / machine.clock_hz;
  }
};

/// Reports progress: the current phase, and the share of it that is done.
using OnProgress = std::function<void(const std::string& phase, double share)>;

struct RunOptions {
  Fidelity fidelity = Fidelity::wavelets;
  int threads = 1;
  OnProgress on_progress = {};
  /// Level whole only: called for everything that a router does, in the order of cycles.
  std::function<void(const WaferEvent&)> on_event = {};
  /// Level whole only: called with the data of all elements, one after another, when phase `phase`
  /// sends them.
  std::function<void(int phase, std::span<const std::complex<float>>)> on_send = {};
};

/// The origin of each number of a line (or mesh): to[k] = from[table[k]], where k = element *
/// numbers_per_element + address / words.
using ExchangeTable = std::vector<std::uint32_t>;
/// Checks that all words of each number arrived together, and converts word indices to number
/// indices.
ExchangeTable table_of(const std::vector<std::uint32_t>& received, int words);

struct WaferExchanges {
  WaferTiming timing;
  ExchangeTable row, column;        ///< of one line, for levels runs and wavelets
  std::vector<ExchangeTable> mesh;  ///< of the whole mesh, one per phase, for level whole
  /// Schedule crossed, level wavelets: [exchange][row or column][parity], and `sister` for the 2 x
  /// 2 block.
  std::array<std::array<std::array<ExchangeTable, 2>, 2>, 2> crossed;
  ExchangeTable sister;
};

/// Only the cycles. Throws weft::Error if the problem does not fit in the element's memory.
WaferTiming time_on_wafer(const WaferPlan& plan, const WaferMachine& machine,
                          const RunOptions& options = {});
/// The cycles, and where the exchanges moved each number.
WaferExchanges exchange_on_wafer(const WaferPlan& plan, const WaferMachine& machine,
                                 const RunOptions& options);

}  // namespace weft::fabric
