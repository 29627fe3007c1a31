// SPDX-License-Identifier: BSD-3-Clause
// Where frequency f of a real transform lies in the packed spectrum
// (Re y0, Re y1, Im y1, Re y2, Im y2, ..., [Re y(n/2)]).
#pragma once

#include "weft/types.hpp"

namespace weft::formula {

constexpr Index real_position(Index f) { return f == 0 ? 0 : 2 * f - 1; }
constexpr Index imaginary_position(Index f) { return 2 * f; }
/// Frequencies 0 and n/2 have no imaginary part.
constexpr bool has_imaginary_part(Index n, Index f) { return f != 0 && 2 * f != n; }

}  // namespace weft::formula
