// SPDX-License-Identifier: BSD-3-Clause
// FFTW's numbers of the real-to-real kinds, for all that load FFTW at run time.
#pragma once

#include "weft/plan.hpp"

namespace weft::tool {

/// fftw_r2r_kind.
constexpr int fftw_r2r_kind(R2r kind) {
  constexpr int kinds[] = {3, 5, 4, 6, 7, 9, 8, 10, 2, 0, 1};  // in the order of R2r
  return kinds[static_cast<int>(kind)];
}

}  // namespace weft::tool
