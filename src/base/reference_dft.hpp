// SPDX-License-Identifier: BSD-3-Clause
// A plain recursive DFT in long double: slow, simple and accurate. The independent reference of
// tests and of the tool's checks; plans use it for tables.
#pragma once

#include <complex>
#include <vector>

#include "weft/types.hpp"

namespace weft {

/// X[k] = sum x[j] exp(-+2 pi i jk/n) for any n >= 1, in O(n log n). Keeps its roots of unity, for
/// many lines of one length.
class ReferenceDft {
 public:
  using Line = std::vector<std::complex<long double>>;
  explicit ReferenceDft(Index n, Direction direction = Direction::forward);
  Line operator()(const Line& x) const;

 private:
  Line by_factors(const Line& x, Direction direction) const;

  Direction direction_;
  std::vector<Index> factors_;  ///< of the length that is transformed by factors
  Line roots_;                  ///< exp(-2 pi i k / length)
  /// Bluestein's algorithm, for lengths with a large prime factor p, where the plain recursion
  /// would cost n * p; the spectrum of the chirp. Both empty otherwise.
  Line chirp_, chirp_spectrum_;
};

/// The same for one line.
std::vector<std::complex<long double>> reference_dft(
    const std::vector<std::complex<long double>>& x, Direction direction = Direction::forward);

}  // namespace weft
