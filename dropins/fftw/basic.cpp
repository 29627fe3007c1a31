// SPDX-License-Identifier: BSD-3-Clause
// The basic interface: one transform of a contiguous array.
#include "dropins/fftw/advanced.hpp"

using weft::fftw::Many;
using weft::fftw::PlanHandle;
using weft::fftw::R2rKind;
using weft::fftw::Real;
using FftwComplex = FFTW_NAME(complex);

FFTW_API PlanHandle FFTW_NAME(plan_dft)(int rank, const int* n, FftwComplex* in, FftwComplex* out,
                                        int sign, unsigned flags) {
  return weft::fftw::plan_c2c({rank, n}, in, out, sign, flags);
}
FFTW_API PlanHandle FFTW_NAME(plan_dft_1d)(int n, FftwComplex* in, FftwComplex* out, int sign,
                                           unsigned flags) {
  return weft::fftw::plan_c2c({1, &n}, in, out, sign, flags);
}
FFTW_API PlanHandle FFTW_NAME(plan_dft_2d)(int n0, int n1, FftwComplex* in, FftwComplex* out,
                                           int sign, unsigned flags) {
  const int n[] = {n0, n1};
  return weft::fftw::plan_c2c({2, n}, in, out, sign, flags);
}
FFTW_API PlanHandle FFTW_NAME(plan_dft_3d)(int n0, int n1, int n2, FftwComplex* in,
                                           FftwComplex* out, int sign, unsigned flags) {
  const int n[] = {n0, n1, n2};
  return weft::fftw::plan_c2c({3, n}, in, out, sign, flags);
}

FFTW_API PlanHandle FFTW_NAME(plan_dft_r2c)(int rank, const int* n, Real* in, FftwComplex* out,
                                            unsigned flags) {
  return weft::fftw::plan_r2c({rank, n}, in, out, flags);
}
FFTW_API PlanHandle FFTW_NAME(plan_dft_r2c_1d)(int n, Real* in, FftwComplex* out, unsigned flags) {
  return weft::fftw::plan_r2c({1, &n}, in, out, flags);
}
FFTW_API PlanHandle FFTW_NAME(plan_dft_r2c_2d)(int n0, int n1, Real* in, FftwComplex* out,
                                               unsigned flags) {
  const int n[] = {n0, n1};
  return weft::fftw::plan_r2c({2, n}, in, out, flags);
}
FFTW_API PlanHandle FFTW_NAME(plan_dft_r2c_3d)(int n0, int n1, int n2, Real* in, FftwComplex* out,
                                               unsigned flags) {
  const int n[] = {n0, n1, n2};
  return weft::fftw::plan_r2c({3, n}, in, out, flags);
}

FFTW_API PlanHandle FFTW_NAME(plan_dft_c2r)(int rank, const int* n, FftwComplex* in, Real* out,
                                            unsigned flags) {
  return weft::fftw::plan_c2r({rank, n}, in, out, flags);
}
FFTW_API PlanHandle FFTW_NAME(plan_dft_c2r_1d)(int n, FftwComplex* in, Real* out, unsigned flags) {
  return weft::fftw::plan_c2r({1, &n}, in, out, flags);
}
FFTW_API PlanHandle FFTW_NAME(plan_dft_c2r_2d)(int n0, int n1, FftwComplex* in, Real* out,
                                               unsigned flags) {
  const int n[] = {n0, n1};
  return weft::fftw::plan_c2r({2, n}, in, out, flags);
}
FFTW_API PlanHandle FFTW_NAME(plan_dft_c2r_3d)(int n0, int n1, int n2, FftwComplex* in, Real* out,
                                               unsigned flags) {
  const int n[] = {n0, n1, n2};
  return weft::fftw::plan_c2r({3, n}, in, out, flags);
}

FFTW_API PlanHandle FFTW_NAME(plan_r2r)(int rank, const int* n, Real* in, Real* out,
                                        const R2rKind* kind, unsigned flags) {
  return weft::fftw::plan_r2r({rank, n}, in, out, kind, flags);
}
FFTW_API PlanHandle FFTW_NAME(plan_r2r_1d)(int n, Real* in, Real* out, R2rKind kind,
                                           unsigned flags) {
  return weft::fftw::plan_r2r({1, &n}, in, out, &kind, flags);
}
FFTW_API PlanHandle FFTW_NAME(plan_r2r_2d)(int n0, int n1, Real* in, Real* out, R2rKind kind0,
                                           R2rKind kind1, unsigned flags) {
  const int n[] = {n0, n1};
  const R2rKind kinds[] = {kind0, kind1};
  return weft::fftw::plan_r2r({2, n}, in, out, kinds, flags);
}
FFTW_API PlanHandle FFTW_NAME(plan_r2r_3d)(int n0, int n1, int n2, Real* in, Real* out,
                                           R2rKind kind0, R2rKind kind1, R2rKind kind2,
                                           unsigned flags) {
  const int n[] = {n0, n1, n2};
  const R2rKind kinds[] = {kind0, kind1, kind2};
  return weft::fftw::plan_r2r({3, n}, in, out, kinds, flags);
}
