// SPDX-License-Identifier: BSD-3-Clause
// How far two transforms of the same numbers may be apart.
#pragma once

#include <cmath>
#include <complex>
#include <vector>

namespace weft::fabric {

/// The difference of two arrays divided by the second one, in the L2 norm.
inline double relative_difference(const std::vector<std::complex<double>>& a,
                                  const std::vector<std::complex<double>>& b) {
  if (a.size() != b.size()) return 1;
  double difference = 0, norm = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    difference += std::norm(a[k] - b[k]);
    norm += std::norm(b[k]);
  }
  return norm > 0 ? std::sqrt(difference / norm) : difference;
}

/// Of two transforms of `points`, each with rounding errors of at most eps log2(points).
inline double two_roundings(std::size_t points, double eps = 0x1p-53) {
  return 2 * eps * std::log2(static_cast<double>(points) + 2);
}

}  // namespace weft::fabric
