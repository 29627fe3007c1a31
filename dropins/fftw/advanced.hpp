// SPDX-License-Identifier: BSD-3-Clause
// The advanced interface, which the basic one and Fortran's go through.
#pragma once

#include "dropins/fftw/dimensions.hpp"

namespace weft::fftw {

/// Many transforms of one shape.
struct Many {
  int rank;
  const int* n;
  Index howmany = 1;
  Side in = {}, out = {};
};

PlanHandle plan_c2c(const Many& many, void* in, void* out, int sign, unsigned flags) noexcept;
PlanHandle plan_r2c(const Many& many, void* in, void* out, unsigned flags) noexcept;
PlanHandle plan_c2r(const Many& many, void* in, void* out, unsigned flags) noexcept;
PlanHandle plan_r2r(const Many& many, void* in, void* out, const R2rKind* kinds,
                    unsigned flags) noexcept;

}  // namespace weft::fftw
