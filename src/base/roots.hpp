// SPDX-License-Identifier: BSD-3-Clause
// Roots of unity, correctly rounded to the last bit or two: the angle is reduced to an octant in
// integers and the sine is taken in long double, so large n loses nothing.
#pragma once

#include <complex>

#include "weft/types.hpp"

namespace weft {

/// exp(-2 pi i k / n) in long double; k may be any integer, n >= 1.
std::complex<long double> root_of_unity(Index n, Index k);

}  // namespace weft
