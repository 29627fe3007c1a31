// SPDX-License-Identifier: BSD-3-Clause
// A plain recursive DFT in long double: slow, simple and accurate. The independent reference of
// tests and of the tool's checks; plans use it for tables.
#pragma once

#include <complex>
#include <vector>

#include "weft/types.hpp"

namespace weft {

/// X[k] = sum x[j] exp(-+2 pi i jk/n) for any n >= 1, in O(n log n).
std::vector<std::complex<long double>> reference_dft(
    const std::vector<std::complex<long double>>& x, Direction direction = Direction::forward);

}  // namespace weft
