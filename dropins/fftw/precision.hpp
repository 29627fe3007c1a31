// SPDX-License-Identifier: BSD-3-Clause
// All files of this folder are compiled twice, for libfftw3 and for libfftw3f: FFTW's interface has
// a name of its own for everything in each precision, which C++ cannot choose by a type.
#pragma once

#include <complex>

#include "fftw3.h"
#include "weft/types.hpp"

#ifdef WEFT_FFTW_IS_FLOAT
#define FFTW_NAME(name) fftwf_##name
#else
#define FFTW_NAME(name) fftw_##name
#endif
/// Before the definition of what the library exports; everything else is hidden.
#define FFTW_API extern "C" __attribute__((visibility("default")))

namespace weft::fftw {

#ifdef WEFT_FFTW_IS_FLOAT
using Real = float;
#else
using Real = double;
#endif
using Complex = std::complex<Real>;

using PlanHandle = FFTW_NAME(plan);
using R2rKind = FFTW_NAME(r2r_kind);

}  // namespace weft::fftw
