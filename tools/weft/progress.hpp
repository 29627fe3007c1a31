// SPDX-License-Identifier: BSD-3-Clause
// A progress bar on standard error.
#pragma once

#include <chrono>
#include <string>

namespace weft::tool {

enum class ShowProgress {
  on_terminal,  ///< only if standard error is a terminal
  always,
  never,
};

class Progress {
 public:
  /// `total` is in any unit; advance() uses the same unit.
  Progress(ShowProgress show, double total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The name of the current phase, shown next to the bar.
  void phase(const std::string& name);
  void advance(double amount);
  /// Removes the bar before other output.
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
