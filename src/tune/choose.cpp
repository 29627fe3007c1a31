// SPDX-License-Identifier: BSD-3-Clause
#include "tune/choose.hpp"

#include <algorithm>

#include "tune/timing.hpp"

namespace weft::tune {

std::vector<double> time_in_turns(std::size_t count,
                                  const std::function<double(std::size_t, double)>& time,
                                  double limit_s) {
  const auto start = Clock::now();
  std::vector<double> times(count, never);
  double best = never;
  for (int turn = 0; turn < 2; ++turn)
    for (std::size_t i = 0; i < count; ++i) {
      if (seconds_since(start) > limit_s && best < never) return times;
      if (turn > 0 && times[i] > 2 * best) continue;
      times[i] = std::min(times[i], time(i, 1.5 * best));
      best = std::min(best, times[i]);
    }
  return times;
}

}  // namespace weft::tune
