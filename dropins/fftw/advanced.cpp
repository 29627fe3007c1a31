// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/fftw/advanced.hpp"

#include "dropins/fftw/planner.hpp"

namespace weft::fftw {
namespace {

PlanHandle plan(Problem problem, const Many& many, unsigned flags) noexcept {
  try {
    const bool in_place = problem.arrays.in == problem.arrays.out;
    auto axes = row_major(problem.kind, many.rank, many.n, many.in, many.out, in_place);
    if (!axes) return nullptr;
    problem.axes = std::move(*axes);
    if (many.howmany != 1) problem.batch = {{many.howmany, many.in.distance, many.out.distance}};
    return make_plan(problem, flags);
  } catch (...) {
    return nullptr;
  }
}

Arrays arrays_of(void* in, void* out) {
  return {static_cast<Real*>(in), nullptr, static_cast<Real*>(out), nullptr};
}

}  // namespace

PlanHandle plan_c2c(const Many& many, void* in, void* out, int sign, unsigned flags) noexcept {
  const auto direction = direction_of(sign);
  if (!direction) return nullptr;
  return plan({.kind = Kind::c2c, .direction = *direction, .arrays = arrays_of(in, out)}, many,
              flags);
}
PlanHandle plan_r2c(const Many& many, void* in, void* out, unsigned flags) noexcept {
  return plan({.kind = Kind::r2c, .arrays = arrays_of(in, out)}, many, flags);
}
PlanHandle plan_c2r(const Many& many, void* in, void* out, unsigned flags) noexcept {
  return plan({.kind = Kind::c2r, .arrays = arrays_of(in, out)}, many, flags);
}
PlanHandle plan_r2r(const Many& many, void* in, void* out, const R2rKind* kinds,
                    unsigned flags) noexcept {
  try {
    const auto r2r = kinds_of(many.rank, kinds);
    if (!r2r) return nullptr;
    return plan({.kind = Kind::r2r, .r2r = *r2r, .arrays = arrays_of(in, out)}, many, flags);
  } catch (...) {
    return nullptr;
  }
}

}  // namespace weft::fftw

using weft::fftw::Complex;
using weft::fftw::Many;
using weft::fftw::PlanHandle;
using weft::fftw::R2rKind;
using weft::fftw::Real;
using FftwComplex = FFTW_NAME(complex);

FFTW_API PlanHandle FFTW_NAME(plan_many_dft)(int rank, const int* n, int howmany, FftwComplex* in,
                                             const int* inembed, int istride, int idist,
                                             FftwComplex* out, const int* onembed, int ostride,
                                             int odist, int sign, unsigned flags) {
  return weft::fftw::plan_c2c(
      {rank, n, howmany, {inembed, istride, idist}, {onembed, ostride, odist}}, in, out, sign,
      flags);
}
FFTW_API PlanHandle FFTW_NAME(plan_many_dft_r2c)(int rank, const int* n, int howmany, Real* in,
                                                 const int* inembed, int istride, int idist,
                                                 FftwComplex* out, const int* onembed, int ostride,
                                                 int odist, unsigned flags) {
  return weft::fftw::plan_r2c(
      {rank, n, howmany, {inembed, istride, idist}, {onembed, ostride, odist}}, in, out, flags);
}
FFTW_API PlanHandle FFTW_NAME(plan_many_dft_c2r)(int rank, const int* n, int howmany,
                                                 FftwComplex* in, const int* inembed, int istride,
                                                 int idist, Real* out, const int* onembed,
                                                 int ostride, int odist, unsigned flags) {
  return weft::fftw::plan_c2r(
      {rank, n, howmany, {inembed, istride, idist}, {onembed, ostride, odist}}, in, out, flags);
}
FFTW_API PlanHandle FFTW_NAME(plan_many_r2r)(int rank, const int* n, int howmany, Real* in,
                                             const int* inembed, int istride, int idist, Real* out,
                                             const int* onembed, int ostride, int odist,
                                             const R2rKind* kind, unsigned flags) {
  return weft::fftw::plan_r2r(
      {rank, n, howmany, {inembed, istride, idist}, {onembed, ostride, odist}}, in, out, kind,
      flags);
}
