// SPDX-License-Identifier: BSD-3-Clause
// The compute element while it runs: which block each queue is at, where arriving words go, which
// signals are being handled, and when the next phase begins.
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

  /// A word or control wavelet has come over the ramp. False: the place already holds a word.
  bool deliver(Cycle now, int color, Wavelet wavelet);
  /// The element's half of a cycle: handlers that are due, one word into the ramp, the next phase.
  /// Returns whether anything happened.
  bool step(Cycle now);

  Cycle wake() const { return wake_; }  ///< step() does nothing before
  void ramp_drained(Cycle now) { wake_ = std::min(wake_, now); }
  bool finished() const { return phase_ == phases(); }
  int phase_number() const { return phase_; }
  bool is_computing() const { return computing_; }
  /// The wavelet that step(now) put into the router.
  std::optional<std::pair<Color, Wavelet>> injected_at(Cycle now) const {
    if (injected_cycle_ != now) return std::nullopt;
    return std::pair{injected_color_, injected_};
  }
  Cycle done(int phase) const { return done_[static_cast<std::size_t>(phase)]; }
  /// When something will happen by itself, without words arriving or buffers draining.
  Cycle next_timer() const;
  /// What it waits for, for messages about deadlock.
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
  Cycle compute_until_ = 0, sending_since_ = 0, last_activity_ = 0, wake_ = 0;
  Cycle injected_cycle_ = never;
  Color injected_color_ = 0;
  Wavelet injected_ = 0;
  std::vector<Cycle> done_;
  std::vector<Queue> queues_;
  std::size_t turn_ = 0;
  struct Reading {
    Walker into;
    std::int64_t words_left = 0;
    std::uint32_t words_come = 0;
    std::int32_t skip_left = 0;
    std::uint32_t sift_count = 0;
  };
  std::vector<Reading> readings_;
  std::array<std::int8_t, 32> reading_of_{};  ///< by color; -1: none
  std::int64_t words_missing_ = 0;
  ColorMask awaited_ = 0;  ///< whose words blocks of this phase wait for
  std::array<std::uint16_t, 32> rewrites_done_{}, signals_handled_{};
  std::vector<Event> rewrites_, answers_;  ///< of signals that have arrived, in the order of time
};

}  // namespace weft::fabric
