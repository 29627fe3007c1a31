// SPDX-License-Identifier: BSD-3-Clause
// The mean of a series whose neighbours are correlated, with its error.
#pragma once

#include <cstddef>
#include <vector>

namespace weft::apps {

struct Mean {
  double value = 0, error = 0;
  double relative_error_of_error = 0;
  /// tau: 1/2 and the sum of all autocorrelations, at least 1/2; 2 tau values count as one.
  double time = 0, time_error = 0;
  /// The same error from the scatter of blocks, each longer than the autocorrelations or not.
  double block_error = 0;
  std::size_t blocks = 0, length = 0;
};
/// From `begin` on. Autocorrelations are summed up to where their noise is as large as what is left
/// (Wolff, Comput. Phys. Commun. 156 (2004) 143). Beyond that they are taken to fall as exp(-t /
/// slowest), from the last one or from its noise (Schaefer, Sommer and Virotta, Nucl. Phys. B845
/// (2011) 93): short series do not show a small part of them that falls slowly. Fewer than 20
/// values have no error.
Mean mean_of(const std::vector<double>& values, std::size_t begin, double slowest);

}  // namespace weft::apps
