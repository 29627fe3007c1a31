// SPDX-License-Identifier: BSD-3-Clause
// The guru interfaces: any strides for axes and loops, in int and in 64 bits, also with real and
// imaginary parts apart.
#include "dropins/fftw/dimensions.hpp"
#include "dropins/fftw/planner.hpp"

namespace weft::fftw {
namespace {

template <class IoDim>
struct Loops {
  int rank;
  const IoDim* dims;
  int howmany_rank;
  const IoDim* howmany_dims;
};

/// `problem` has all but the dimensions.
template <class IoDim>
PlanHandle plan(const Loops<IoDim>& loops, Problem problem, unsigned flags) noexcept {
  try {
    auto axes = guru(loops.rank, loops.dims);
    auto batch = guru(loops.howmany_rank, loops.howmany_dims);
    if (!axes || !batch) return nullptr;
    problem.axes = std::move(*axes);
    problem.batch = std::move(*batch);
    return make_plan(problem, flags);
  } catch (...) {
    return nullptr;
  }
}

template <class IoDim>
PlanHandle guru_c2c(const Loops<IoDim>& loops, const Arrays& arrays, int sign,
                    unsigned flags) noexcept {
  const auto direction = direction_of(sign);
  if (!direction) return nullptr;
  return plan(loops, {.kind = Kind::c2c, .direction = *direction, .arrays = arrays}, flags);
}
template <class IoDim>
PlanHandle guru_halved(const Loops<IoDim>& loops, Kind kind, const Arrays& arrays,
                       unsigned flags) noexcept {
  return plan(loops, {.kind = kind, .arrays = arrays}, flags);
}
template <class IoDim>
PlanHandle guru_r2r(const Loops<IoDim>& loops, const Arrays& arrays, const R2rKind* kind,
                    unsigned flags) noexcept {
  try {
    const auto r2r = kinds_of(loops.rank, kind);
    if (!r2r) return nullptr;
    return plan(loops, {.kind = Kind::r2r, .r2r = *r2r, .arrays = arrays}, flags);
  } catch (...) {
    return nullptr;
  }
}

Arrays plain(void* in, void* out) {
  return {static_cast<Real*>(in), nullptr, static_cast<Real*>(out), nullptr};
}

}  // namespace
}  // namespace weft::fftw

using weft::Kind;
using weft::fftw::Arrays;
using weft::fftw::Loops;
using weft::fftw::plain;
using weft::fftw::PlanHandle;
using weft::fftw::R2rKind;
using weft::fftw::Real;
using FftwComplex = FFTW_NAME(complex);

// The two interfaces differ in their names and in the type of dimensions only.
#define GURU_DIMENSIONS(IoDim) \
  int rank, const IoDim *dims, int howmany_rank, const IoDim *howmany_dims
#define GURU_LOOPS(IoDim) (Loops<IoDim>{rank, dims, howmany_rank, howmany_dims})
#define GURU_INTERFACE(prefix, IoDim)                                                             \
  FFTW_API PlanHandle FFTW_NAME(prefix##_dft)(GURU_DIMENSIONS(IoDim), FftwComplex * in,           \
                                              FftwComplex * out, int sign, unsigned flags) {      \
    return weft::fftw::guru_c2c(GURU_LOOPS(IoDim), plain(in, out), sign, flags);                  \
  }                                                                                               \
  FFTW_API PlanHandle FFTW_NAME(prefix##_split_dft)(GURU_DIMENSIONS(IoDim), Real * ri, Real * ii, \
                                                    Real * ro, Real * io, unsigned flags) {       \
    return weft::fftw::guru_c2c(GURU_LOOPS(IoDim), Arrays{ri, ii, ro, io}, FFTW_FORWARD, flags);  \
  }                                                                                               \
  FFTW_API PlanHandle FFTW_NAME(prefix##_dft_r2c)(GURU_DIMENSIONS(IoDim), Real * in,              \
                                                  FftwComplex * out, unsigned flags) {            \
    return weft::fftw::guru_halved(GURU_LOOPS(IoDim), Kind::r2c, plain(in, out), flags);          \
  }                                                                                               \
  FFTW_API PlanHandle FFTW_NAME(prefix##_split_dft_r2c)(GURU_DIMENSIONS(IoDim), Real * in,        \
                                                        Real * ro, Real * io, unsigned flags) {   \
    return weft::fftw::guru_halved(GURU_LOOPS(IoDim), Kind::r2c, Arrays{in, nullptr, ro, io},     \
                                   flags);                                                        \
  }                                                                                               \
  FFTW_API PlanHandle FFTW_NAME(prefix##_dft_c2r)(GURU_DIMENSIONS(IoDim), FftwComplex * in,       \
                                                  Real * out, unsigned flags) {                   \
    return weft::fftw::guru_halved(GURU_LOOPS(IoDim), Kind::c2r, plain(in, out), flags);          \
  }                                                                                               \
  FFTW_API PlanHandle FFTW_NAME(prefix##_split_dft_c2r)(GURU_DIMENSIONS(IoDim), Real * ri,        \
                                                        Real * ii, Real * out, unsigned flags) {  \
    return weft::fftw::guru_halved(GURU_LOOPS(IoDim), Kind::c2r, Arrays{ri, ii, out, nullptr},    \
                                   flags);                                                        \
  }                                                                                               \
  FFTW_API PlanHandle FFTW_NAME(prefix##_r2r)(GURU_DIMENSIONS(IoDim), Real * in, Real * out,      \
                                              const R2rKind* kind, unsigned flags) {              \
    return weft::fftw::guru_r2r(GURU_LOOPS(IoDim), plain(in, out), kind, flags);                  \
  }

GURU_INTERFACE(plan_guru, weft_fftw_iodim)
GURU_INTERFACE(plan_guru64, weft_fftw_iodim64)
