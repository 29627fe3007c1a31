// SPDX-License-Identifier: BSD-3-Clause
// A twiddle as a real scale times a direction whose larger part is exactly +-1. Multiplying by the
// direction costs two multiplications instead of four, each fused with its addition; the scale goes
// where another addition can take it.
#pragma once

#include <cmath>

#include "base/roots.hpp"
#include "formula/formula.hpp"

namespace weft::formula {

struct NormalizedRoot {
  long double scale;  ///< positive
  Complex direction;
};

/// exp(-2 pi i k / n) = scale * direction
inline NormalizedRoot normalized_root(Index n, Index k) {
  const Complex w = root_of_unity(n, k);
  const long double re = std::abs(w.real()), im = std::abs(w.imag());
  const long double scale = re > im ? re : im;
  const auto part = [&](long double value) {
    return std::abs(value) == scale ? std::copysign(1.0L, value) : value / scale;
  };
  return {scale, {part(w.real()), part(w.imag())}};
}

}  // namespace weft::formula
