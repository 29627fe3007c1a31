// SPDX-License-Identifier: BSD-3-Clause
// A progress bar on standard error.
#pragma once

#include <chrono>
#include <string>

namespace weft::tool {

enum class ShowProgress {
  on_terminal,  ///< only when standard error is one
  always,
  never,
};

class Progress {
 public:
  /// `total` in any unit, the one that advance() counts in.
  Progress(ShowProgress show, double total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// What is going on now: shown beside the bar.
  void phase(const std::string& name);
  void advance(double amount);
  /// Wipes the bar, for ordinary output to follow.
  void clear();

 private:
  void draw();

  using Clock = std::chrono::steady_clock;
  bool shown_;
  bool drawn_ = false;
  double total_, done_ = 0;
  std::string phase_;
  Clock::time_point start_ = Clock::now(), last_drawn_{};
};

}  // namespace weft::tool
