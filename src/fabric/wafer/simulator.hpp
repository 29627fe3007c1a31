// SPDX-License-Identifier: BSD-3-Clause
// Every wavelet of every router, cycle by cycle. A cycle has two halves: first each router decides,
// from the state at the end of the cycle before, which head words move; then every router takes in
// what its neighbours sent and every element injects. No router sees another one's decision of the
// same cycle, so the result depends neither on the order of the loops nor on the number of threads.
//
// A word moves when all outputs it is routed to are free in this cycle: links carry one word per
// cycle over all colors (round robin), the ramp likewise; a full buffer downstream holds it back.
#pragma once

#include <functional>
#include <vector>

#include "fabric/wafer/program.hpp"

namespace weft::fabric {

/// Something that happened on the wafer: for pictures of small meshes.
struct TraceEvent {
  enum class Kind : std::uint8_t {
    computes,   ///< the element begins to compute for `phase`
    exchanges,  ///< it has computed: it sends and receives
    finishes,   ///< it has all words of `phase`
    injects,    ///< a wavelet enters the router from its own element
    moves,      ///< a wavelet leaves the router by `output`; one event for each of its outputs
    ends,  ///< a wavelet has come to the end of its route, and the filter lets it go no further
  };
  Kind kind = Kind::moves;
  Cycle cycle = 0;
  std::int32_t element = 0;
  std::int32_t phase = 0;    ///< of the element; not for moves
  Port input = Port::ramp;   ///< of moves
  Port output = Port::ramp;  ///< of moves
  Color color = 0;           ///< of injects and moves, and so are
  Control control = Control::none;
  std::uint32_t word = 0;  ///< element * memory_words + address of where it came from
};

struct SimulationOptions {
  int threads = 1;
  Cycle cycle_limit = 0;                        ///< 0: none; past it an Error says what waits
  std::function<void(Cycle)> on_progress = {};  ///< now and then, on the calling thread
  std::function<void(const TraceEvent&)> on_event = {};  ///< needs threads = 1
};

inline constexpr std::uint32_t no_word = 0xffffffffU;

struct SimulationResult {
  Cycle cycles = 0;  ///< until the last element has all its words in memory
  /// For each phase and element (phase * elements + element), the cycle it was complete.
  std::vector<Cycle> phase_done;
  /// For each phase and element, the receive memory: which word of which element lies there, as
  /// element * memory_words + address, or no_word.
  std::vector<std::vector<std::uint32_t>> received;
  std::vector<std::uint64_t> link_words;  ///< element * 4 + output: all wavelets, controls included
  std::uint64_t word_hops = 0;            ///< sum of link_words
  std::uint64_t ramp_stalls = 0;          ///< times a word waited for a busy or unready ramp
  bool rearmed = false;  ///< every switch in its first position, every filter where it began

  Cycle done(int phase, int element, int elements) const {
    return phase_done[static_cast<std::size_t>(phase) * static_cast<std::size_t>(elements) +
                      static_cast<std::size_t>(element)];
  }
};

/// Runs the program to its end. Throws weft::Error when it breaks a rule (see check()), when a word
/// is stored twice, when a wavelet reaches a router that does not expect it, and when nothing can
/// move any more though words are missing: the message names cycle, router and color.
SimulationResult simulate(const WaferProgram& program, const SimulationOptions& options = {});

}  // namespace weft::fabric
