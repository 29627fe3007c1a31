// SPDX-License-Identifier: BSD-3-Clause
// The mean of a series whose neighbours are correlated, with its error.
#pragma once

#include <cstddef>
#include <vector>

namespace weft::apps {

struct Mean {
  double value = 0, error = 0;
  std::size_t blocks = 0, length = 0;
  /// How many sweeps count as one: the error squared over that of independent sweeps.
  double sweeps_as_one = 0;
};
/// From `begin` on, with the error of the mean from 20 blocks, which hold what neighbouring sweeps
/// have in common; fewer than ten values have no error.
Mean mean_of(const std::vector<double>& values, std::size_t begin);

}  // namespace weft::apps
