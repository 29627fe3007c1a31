// SPDX-License-Identifier: BSD-3-Clause
// Simulates every wavelet of every router, cycle by cycle. A cycle has two halves: first each
// router decides, from the state at the end of the previous cycle, which words move; then every
// router receives the words of its neighbours, and every element injects a word. No router sees
// another one's decision of the same cycle, so the result depends neither on the order of the loops
// nor on the number of threads.
//
// A word moves if all outputs of its route are free in this cycle. Links and the ramp carry one
// word per cycle in total for all colors (round robin). A word also waits if the buffer at the
// other end is full.
#pragma once

#include <functional>
#include <vector>

#include "fabric/wafer/program.hpp"

namespace weft::fabric {

/// Something that happened on the wafer, for animations of small meshes.
struct WaferEvent {
  enum class Kind : std::uint8_t {
    computes,   ///< the element begins to compute for `phase`
    exchanges,  ///< it has finished computing, and sends and receives
    finishes,   ///< it has sent and received all words of `phase`
    injects,    ///< a wavelet enters the router from its own element
    moves,      ///< a wavelet leaves the router by `output`; one event for each of its outputs
    ends,       ///< a wavelet has reached the end of its route, and the filter drops it
  };
  Kind kind = Kind::moves;
  Cycle cycle = 0;
  std::int32_t element = 0;
  std::int32_t phase = 0;    ///< of the element; not for moves
  Port input = Port::ramp;   ///< of moves
  Port output = Port::ramp;  ///< of moves
  Color color = 0;           ///< this and the next two: of injects and moves
  Control control = Control::none;
  std::uint32_t word = 0;  ///< its origin: element * memory_words + address
};

struct SimulationOptions {
  int threads = 1;
  Cycle cycle_limit = 0;  ///< 0: no limit; after it, an Error says what the elements wait for
  std::function<void(Cycle)> on_progress = {};  ///< called from time to time on the calling thread
  std::function<void(const WaferEvent&)> on_event = {};  ///< needs threads = 1
};

inline constexpr std::uint32_t no_word = 0xffffffffU;

struct SimulationResult {
  Cycle cycles = 0;  ///< until the last element has all its words in memory
  /// For each phase and element (phase * elements + element), the cycle when it was complete.
  std::vector<Cycle> phase_done;
  /// For each phase and element, the receive memory: for each address the origin of its word as
  /// element * memory_words + address, or no_word.
  std::vector<std::vector<std::uint32_t>> received;
  std::vector<std::uint64_t>
      link_words;  ///< [element * 4 + output]: all wavelets, including control wavelets
  std::uint64_t word_hops = 0;    ///< sum of link_words
  std::uint64_t ramp_stalls = 0;  ///< number of times that a word waited for a busy ramp
  bool rearmed = false;  ///< at the end, every switch is in its first position and every filter at
                         ///< its initial count

  Cycle done(int phase, int element, int elements) const {
    return phase_done[static_cast<std::size_t>(phase) * static_cast<std::size_t>(elements) +
                      static_cast<std::size_t>(element)];
  }
};

/// Runs the program to its end. Throws weft::Error if it breaks a rule (see check()), if two words
/// are stored at one address or one outside of the memory, if a wavelet reaches a router that has
/// no route for it, and at a deadlock, when nothing can move although words are missing. The
/// message names cycle, router and color.
SimulationResult simulate(const WaferProgram& program, const SimulationOptions& options = {});

}  // namespace weft::fabric
