// SPDX-License-Identifier: BSD-3-Clause
// Functions of the modes as text: the same words in C++, C, Fortran and Python.
#pragma once

#include <string_view>

#include "weft/export.h"
#include "weft/spectral.hpp"

namespace weft::spectral {

struct ExpressionOptions {
  int inputs = 0;  ///< 0: as many as the text names, at least one
  /// Not 0: the last of so many transformed axes is x, the one before it y, and so on. For
  /// languages whose first index is the fastest.
  int reversed_axes = 0;
};

/// One expression per output, separated by semicolons: "where(k2 == 0, 0, -1/k2) * u0",
/// "dx*u0; dy*u0; dz*u0".
///
///   u0 ... u15         the fields at this mode
///   kx, ky, kz, kw     wave numbers along the first to fourth transformed axis
///   dx, dy, dz, dw     i times these, with 0 for the mode n/2 whose sign is unknown: derivatives
///   k2, k              the sum of their squares, and its root
///   1.5, 2e-3, pi, i   numbers
///   + - * / ^          powers of complex numbers need a whole exponent that is written out
///   < <= > >= == !=    1 or 0; of real numbers
///   where(c, a, b)     a where c is not 0, else b
///   sqrt exp sin cos abs real imag conj
///
/// Numbers are real until i, d., u. or a complex number comes in; the root of a negative real is
/// not a number. Throws weft::Error (invalid_argument), with the place in the text, for what it
/// cannot read.
WEFT_API ModeFunction expression(std::string_view text, const ExpressionOptions& options = {});

}  // namespace weft::spectral
