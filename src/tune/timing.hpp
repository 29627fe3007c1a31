// SPDX-License-Identifier: BSD-3-Clause
// What all timings of candidates share: a deadline, and the best of several runs.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace weft::tune {

using Clock = std::chrono::steady_clock;
inline constexpr double never = std::numeric_limits<double>::infinity();

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// When timing must end.
inline Clock::time_point deadline_in(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e6)));
}

/// Best of several runs, in seconds times `shortening`. Ends early after a run that has shown that
/// it takes longer than `give_up_s`.
template <class Run>
double best_of_runs(const Run& run, double shortening, double give_up_s,
                    Clock::time_point deadline) {
  double best = never, total = 0;
  for (int round = 0; round < 3 || (total < 3e-3 && round < 2000); ++round) {
    const auto start = Clock::now();
    run();
    const double elapsed = shortening * seconds_since(start);
    best = std::min(best, elapsed);
    total += elapsed;
    if ((best > give_up_s && round >= 1) || Clock::now() > deadline) break;
  }
  return best;
}

}  // namespace weft::tune
