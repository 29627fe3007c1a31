// SPDX-License-Identifier: BSD-3-Clause
// Times recipes on the real ranks, as long as there is time.
#pragma once

#include <optional>

#include "global/choose/planner.hpp"
#include "global/run/window.hpp"

namespace weft::global {

/// All members are collective but the constructor. Rank 0's clock decides for all.
class Trials {
 public:
  Trials(const GlobalProblem& problem, const Wishes& wishes,
         const std::vector<reshape::Piece>& input, const std::vector<reshape::Piece>& output,
         const Comm& comm)
      : problem_(problem), wishes_(wishes), input_(input), output_(output), comm_(comm) {}

  /// Whether there is time for one trial, of a recipe that costs this much; then makes the arrays.
  bool begin(const RecipeCost& expected);
  /// The seconds of one execution, or nothing when the time would not suffice for this and for the
  /// final build. Of what is left, `tuning` is the share for timing local transforms.
  std::optional<double> time(const Recipe& recipe, const RecipeCost& expected, double tuning);

 private:
  struct Timing {
    double build_s, execute_s;
  };
  /// Whether there was time for all of it.
  bool fill(std::unique_ptr<DeviceBuffer>& buffer, Index bytes);
  Timing time_of(const Recipe& recipe);
  bool make_windows();
  double needed_s(const RecipeCost& expected);  ///< for a trial
  bool decide(bool yes) const;                  ///< what rank 0 says
  double slowest(double seconds) const;         ///< of all ranks
  double left_s() const;                        ///< for trials, by this rank's clock

  const GlobalProblem& problem_;
  const Wishes& wishes_;
  const std::vector<reshape::Piece>&input_, &output_;
  const Comm& comm_;
  std::unique_ptr<DeviceBuffer> in_, out_;
  std::shared_ptr<Window> in_window_, out_window_;  ///< in place of them, as the plan will have
  ReachedArrays reached_;
  double byte_s_ = 0;                 ///< to fill a byte of new memory
  double build_s_ = 0, trial_s_ = 0;  ///< the longest so far without tuning
};

}  // namespace weft::global
