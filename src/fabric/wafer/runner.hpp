// SPDX-License-Identifier: BSD-3-Clause
// The state of a processing element during the simulation: the current block of each queue, where
// arriving words are stored, which signals are being handled, and when the next phase begins.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "fabric/wafer/mesh.hpp"
#include "fabric/wafer/walker.hpp"

namespace weft::fabric {

inline constexpr Cycle never = std::numeric_limits<Cycle>::max();

class Runner {
 public:
  void start(const WaferProgram& program, int id, Mesh& mesh,
             std::vector<std::vector<std::uint32_t>>& received);

  /// A word or control wavelet has come down the ramp.
  void deliver(Cycle now, int color, Wavelet wavelet);
  /// A store outside of the memory, or where a word of this phase is already: what and where. Empty
  /// as long as there was none.
  const std::string& fault() const { return fault_; }
  /// The element's part of a cycle: runs handlers that are due, sends one word up the ramp, starts
  /// the next phase. Returns whether anything happened.
  bool step(Cycle now);

  Cycle wake() const { return wake_; }  ///< step() does nothing before this cycle
  void ramp_drained(Cycle now) { wake_ = std::min(wake_, now); }
  bool finished() const { return phase_ == phases(); }
  int phase_number() const { return phase_; }
  bool is_computing() const { return computing_; }
  /// The wavelet that step(now) passed to the router.
  std::optional<std::pair<Color, Wavelet>> injected_at(Cycle now) const {
    if (injected_cycle_ != now) return std::nullopt;
    return std::pair{injected_color_, injected_};
  }
  Cycle done(int phase) const { return done_[static_cast<std::size_t>(phase)]; }
  /// The next cycle in which something happens even if no word arrives and no buffer empties.
  Cycle next_timer() const;
  /// What the element waits for, for the error message of a deadlock.
  std::string describe_wait() const;

 private:
  struct Queue {
    std::size_t block = 0;
    Walker words;
    bool at_control = false;
    Cycle ready = 0;
  };
  struct Event {
    Cycle at = 0;
    Color color = 0;
  };

  int phases() const { return static_cast<int>(element_->phases.size()); }
  const Phase& phase() const { return element_->phases[static_cast<std::size_t>(phase_)]; }
  void begin_computing(Cycle now);
  void begin_phase(Cycle now);
  void finish_phase_if_complete(Cycle now);
  void open_block(Queue& queue, const std::vector<SendBlock>& blocks, Cycle now);
  bool inject(Cycle now);
  bool push_from(Queue& queue, const std::vector<SendBlock>& blocks, Cycle now);
  bool run_handlers(Cycle now);
  void rewrite(Color color);
  void schedule(Cycle now, bool keep_trying);
  bool keeps(std::size_t slot);
  void store(Area area, std::int32_t word, std::uint32_t origin);
  bool may_start(const SendBlock& block) const;
  void wake_blocks_after(Cycle now, Color color);
  bool is_full(Color color) const;

  const WaferProgram* program_ = nullptr;
  const Element* element_ = nullptr;
  Mesh* mesh_ = nullptr;
  std::vector<std::vector<std::uint32_t>>* received_ = nullptr;
  int id_ = 0;
  std::uint32_t first_word_ = 0;
  int phase_ = 0;
  bool computing_ = true;
  Cycle compute_until_ = 0, sending_since_ = 0, timetable_at_ = 0, last_activity_ = 0, wake_ = 0;
  Cycle injected_cycle_ = never;
  Color injected_color_ = 0;
  Wavelet injected_ = 0;
  std::string fault_;
  std::vector<Cycle> done_;
  std::vector<Queue> queues_;
  std::size_t turn_ = 0;
  struct Reading {
    Walker into;
    std::int64_t words_left = 0;
    std::uint32_t words_come = 0;
    std::int32_t drop_left = 0, skip_left = 0;
    std::uint32_t sift_count = 0;
  };
  std::vector<Reading> readings_;
  std::array<std::int8_t, 32> reading_of_{};  ///< by color; -1: none
  std::int64_t words_missing_ = 0;
  ColorMask awaited_ = 0;  ///< colors for whose words blocks of this phase wait
  std::array<std::uint16_t, 32> rewrites_done_{}, signals_handled_{};
  std::vector<Event> rewrites_, answers_;  ///< for signals that have arrived, in order of time
};

}  // namespace weft::fabric
