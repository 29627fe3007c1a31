// SPDX-License-Identifier: BSD-3-Clause
// heFFTe's kinds of transforms as weft's.
#pragma once

#include "dropins/heffte/include/weft_heffte.h"
#include "weft/plan.hpp"

namespace weft::heffte {

/// Of the cosine and sine transforms.
constexpr R2r r2r_of(int kind, Direction direction) {
  const bool is_forward = direction == Direction::forward;
  switch (kind) {
    case weft_heffte_cos2: return is_forward ? R2r::dct2 : R2r::dct3;
    case weft_heffte_sin2: return is_forward ? R2r::dst2 : R2r::dst3;
    case weft_heffte_cos1: return R2r::dct1;
    default: return R2r::dst1;
  }
}

/// By what FFTW's transforms there and back multiply, along an axis of n points.
constexpr double logical_length(int kind, Index n) {
  switch (kind) {
    case weft_heffte_cos2:
    case weft_heffte_sin2: return 2 * static_cast<double>(n);
    case weft_heffte_cos1: return 2 * static_cast<double>(n - 1);
    case weft_heffte_sin1: return 2 * static_cast<double>(n + 1);
    default: return static_cast<double>(n);
  }
}

}  // namespace weft::heffte
