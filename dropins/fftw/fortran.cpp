// SPDX-License-Identifier: BSD-3-Clause
// FFTW's interface for Fortran 77: subroutines dfftw_NAME and sfftw_NAME whose arguments are all
// pointers; a plan is an integer of 8 bytes. The first dimension of an array in Fortran is the last
// one in C, so lengths are taken in reverse order, except by the guru interface. Compilers append
// one or two underscores to a name.
#include <algorithm>
#include <vector>

#include "dropins/fftw/advanced.hpp"
#include "dropins/fftw/planner.hpp"

#ifdef WEFT_FFTW_IS_FLOAT
#define F77_NAME(name, underscores) sfftw_##name##underscores
#else
#define F77_NAME(name, underscores) dfftw_##name##underscores
#endif
/// A subroutine under both names; the body calls the function of the same purpose below.
#define F77(name, parameters, arguments)                                              \
  FFTW_API void F77_NAME(name, _) parameters { weft::fftw::fortran::name arguments; } \
  FFTW_API void F77_NAME(name, __) parameters { weft::fftw::fortran::name arguments; }

namespace weft::fftw::fortran {
namespace {

using FftwComplex = FFTW_NAME(complex);
using Ints = const int*;

/// The axes in C's order.
struct Reversed {
  std::vector<int> values;
  Reversed(Ints rank, Ints given) {
    if (given != nullptr && *rank > 0) values.assign(given, given + *rank);
    std::ranges::reverse(values);
  }
  const int* data() const { return values.empty() ? nullptr : values.data(); }
};
struct ReversedKinds {
  std::vector<R2rKind> values;
  ReversedKinds(Ints rank, Ints given) {
    for (int d = *rank - 1; d >= 0; --d) values.push_back(static_cast<R2rKind>(given[d]));
  }
};
std::vector<weft_fftw_iodim> dims_of(Ints rank, Ints n, Ints is, Ints os) {
  std::vector<weft_fftw_iodim> dims;
  for (int d = 0; d < *rank; ++d) dims.push_back({n[d], is[d], os[d]});
  return dims;
}
R2rKind kind(Ints number) { return static_cast<R2rKind>(*number); }
unsigned bits(Ints flags) { return static_cast<unsigned>(*flags); }

template <class Function>
PlanHandle or_null(Function function) noexcept {
  try {
    return function();
  } catch (...) {
    return nullptr;
  }
}

// The basic interface.
void plan_dft(PlanHandle* p, Ints rank, Ints n, FftwComplex* in, FftwComplex* out, Ints sign,
              Ints flags) {
  *p = or_null([&] {
    return FFTW_NAME(plan_dft)(*rank, Reversed(rank, n).data(), in, out, *sign, bits(flags));
  });
}
void plan_dft_1d(PlanHandle* p, Ints n, FftwComplex* in, FftwComplex* out, Ints sign, Ints flags) {
  *p = FFTW_NAME(plan_dft_1d)(*n, in, out, *sign, bits(flags));
}
void plan_dft_2d(PlanHandle* p, Ints nx, Ints ny, FftwComplex* in, FftwComplex* out, Ints sign,
                 Ints flags) {
  *p = FFTW_NAME(plan_dft_2d)(*ny, *nx, in, out, *sign, bits(flags));
}
void plan_dft_3d(PlanHandle* p, Ints nx, Ints ny, Ints nz, FftwComplex* in, FftwComplex* out,
                 Ints sign, Ints flags) {
  *p = FFTW_NAME(plan_dft_3d)(*nz, *ny, *nx, in, out, *sign, bits(flags));
}
void plan_dft_r2c(PlanHandle* p, Ints rank, Ints n, Real* in, FftwComplex* out, Ints flags) {
  *p = or_null([&] {
    return FFTW_NAME(plan_dft_r2c)(*rank, Reversed(rank, n).data(), in, out, bits(flags));
  });
}
void plan_dft_r2c_1d(PlanHandle* p, Ints n, Real* in, FftwComplex* out, Ints flags) {
  *p = FFTW_NAME(plan_dft_r2c_1d)(*n, in, out, bits(flags));
}
void plan_dft_r2c_2d(PlanHandle* p, Ints nx, Ints ny, Real* in, FftwComplex* out, Ints flags) {
  *p = FFTW_NAME(plan_dft_r2c_2d)(*ny, *nx, in, out, bits(flags));
}
void plan_dft_r2c_3d(PlanHandle* p, Ints nx, Ints ny, Ints nz, Real* in, FftwComplex* out,
                     Ints flags) {
  *p = FFTW_NAME(plan_dft_r2c_3d)(*nz, *ny, *nx, in, out, bits(flags));
}
void plan_dft_c2r(PlanHandle* p, Ints rank, Ints n, FftwComplex* in, Real* out, Ints flags) {
  *p = or_null([&] {
    return FFTW_NAME(plan_dft_c2r)(*rank, Reversed(rank, n).data(), in, out, bits(flags));
  });
}
void plan_dft_c2r_1d(PlanHandle* p, Ints n, FftwComplex* in, Real* out, Ints flags) {
  *p = FFTW_NAME(plan_dft_c2r_1d)(*n, in, out, bits(flags));
}
void plan_dft_c2r_2d(PlanHandle* p, Ints nx, Ints ny, FftwComplex* in, Real* out, Ints flags) {
  *p = FFTW_NAME(plan_dft_c2r_2d)(*ny, *nx, in, out, bits(flags));
}
void plan_dft_c2r_3d(PlanHandle* p, Ints nx, Ints ny, Ints nz, FftwComplex* in, Real* out,
                     Ints flags) {
  *p = FFTW_NAME(plan_dft_c2r_3d)(*nz, *ny, *nx, in, out, bits(flags));
}
void plan_r2r(PlanHandle* p, Ints rank, Ints n, Real* in, Real* out, Ints kinds, Ints flags) {
  *p = or_null([&] {
    return FFTW_NAME(plan_r2r)(*rank, Reversed(rank, n).data(), in, out,
                               ReversedKinds(rank, kinds).values.data(), bits(flags));
  });
}
void plan_r2r_1d(PlanHandle* p, Ints n, Real* in, Real* out, Ints k, Ints flags) {
  *p = FFTW_NAME(plan_r2r_1d)(*n, in, out, kind(k), bits(flags));
}
void plan_r2r_2d(PlanHandle* p, Ints nx, Ints ny, Real* in, Real* out, Ints kx, Ints ky,
                 Ints flags) {
  *p = FFTW_NAME(plan_r2r_2d)(*ny, *nx, in, out, kind(ky), kind(kx), bits(flags));
}
void plan_r2r_3d(PlanHandle* p, Ints nx, Ints ny, Ints nz, Real* in, Real* out, Ints kx, Ints ky,
                 Ints kz, Ints flags) {
  *p = FFTW_NAME(plan_r2r_3d)(*nz, *ny, *nx, in, out, kind(kz), kind(ky), kind(kx), bits(flags));
}

// The advanced interface. The larger arrays are in Fortran's order too.
struct ManyOf {
  Reversed n, inembed, onembed;
  Many many;
  ManyOf(Ints rank, Ints lengths, Ints howmany, Ints in_embed, Ints istride, Ints idist,
         Ints out_embed, Ints ostride, Ints odist)
      : n(rank, lengths),
        inembed(rank, in_embed),
        onembed(rank, out_embed),
        many{*rank,
             n.data(),
             *howmany,
             {inembed.data(), *istride, *idist},
             {onembed.data(), *ostride, *odist}} {}
};
#define F77_MANY_IN Ints rank, Ints n, Ints howmany
#define F77_MANY_SIDE(embed, stride, dist) Ints embed, Ints stride, Ints dist
#define F77_MANY_OF ManyOf(rank, n, howmany, inembed, istride, idist, onembed, ostride, odist).many
void plan_many_dft(PlanHandle* p, F77_MANY_IN, FftwComplex* in,
                   F77_MANY_SIDE(inembed, istride, idist), FftwComplex* out,
                   F77_MANY_SIDE(onembed, ostride, odist), Ints sign, Ints flags) {
  *p = or_null([&] { return fftw::plan_c2c(F77_MANY_OF, in, out, *sign, bits(flags)); });
}
void plan_many_dft_r2c(PlanHandle* p, F77_MANY_IN, Real* in, F77_MANY_SIDE(inembed, istride, idist),
                       FftwComplex* out, F77_MANY_SIDE(onembed, ostride, odist), Ints flags) {
  *p = or_null([&] { return fftw::plan_r2c(F77_MANY_OF, in, out, bits(flags)); });
}
void plan_many_dft_c2r(PlanHandle* p, F77_MANY_IN, FftwComplex* in,
                       F77_MANY_SIDE(inembed, istride, idist), Real* out,
                       F77_MANY_SIDE(onembed, ostride, odist), Ints flags) {
  *p = or_null([&] { return fftw::plan_c2r(F77_MANY_OF, in, out, bits(flags)); });
}
void plan_many_r2r(PlanHandle* p, F77_MANY_IN, Real* in, F77_MANY_SIDE(inembed, istride, idist),
                   Real* out, F77_MANY_SIDE(onembed, ostride, odist), Ints kinds, Ints flags) {
  *p = or_null([&] {
    return fftw::plan_r2r(F77_MANY_OF, in, out, ReversedKinds(rank, kinds).values.data(),
                          bits(flags));
  });
}

// The guru interface: an array per member of iodim.
#define F77_LOOPS Ints rank, Ints n, Ints is, Ints os, Ints hrank, Ints hn, Ints his, Ints hos
#define F77_DIMS *rank, dims_of(rank, n, is, os).data(), *hrank, dims_of(hrank, hn, his, hos).data()
void plan_guru_dft(PlanHandle* p, F77_LOOPS, FftwComplex* in, FftwComplex* out, Ints sign,
                   Ints flags) {
  *p = or_null([&] { return FFTW_NAME(plan_guru_dft)(F77_DIMS, in, out, *sign, bits(flags)); });
}
void plan_guru_split_dft(PlanHandle* p, F77_LOOPS, Real* ri, Real* ii, Real* ro, Real* io,
                         Ints flags) {
  *p = or_null(
      [&] { return FFTW_NAME(plan_guru_split_dft)(F77_DIMS, ri, ii, ro, io, bits(flags)); });
}
void plan_guru_dft_r2c(PlanHandle* p, F77_LOOPS, Real* in, FftwComplex* out, Ints flags) {
  *p = or_null([&] { return FFTW_NAME(plan_guru_dft_r2c)(F77_DIMS, in, out, bits(flags)); });
}
void plan_guru_split_dft_r2c(PlanHandle* p, F77_LOOPS, Real* in, Real* ro, Real* io, Ints flags) {
  *p = or_null(
      [&] { return FFTW_NAME(plan_guru_split_dft_r2c)(F77_DIMS, in, ro, io, bits(flags)); });
}
void plan_guru_dft_c2r(PlanHandle* p, F77_LOOPS, FftwComplex* in, Real* out, Ints flags) {
  *p = or_null([&] { return FFTW_NAME(plan_guru_dft_c2r)(F77_DIMS, in, out, bits(flags)); });
}
void plan_guru_split_dft_c2r(PlanHandle* p, F77_LOOPS, Real* ri, Real* ii, Real* out, Ints flags) {
  *p = or_null(
      [&] { return FFTW_NAME(plan_guru_split_dft_c2r)(F77_DIMS, ri, ii, out, bits(flags)); });
}
void plan_guru_r2r(PlanHandle* p, F77_LOOPS, Real* in, Real* out, Ints kinds, Ints flags) {
  *p = or_null([&] {
    std::vector<R2rKind> in_order;
    for (int d = 0; d < *rank; ++d) in_order.push_back(kind(kinds + d));
    return FFTW_NAME(plan_guru_r2r)(F77_DIMS, in, out, in_order.data(), bits(flags));
  });
}

}  // namespace
}  // namespace weft::fftw::fortran

using weft::fftw::PlanHandle;
using weft::fftw::Real;
using weft::fftw::fortran::FftwComplex;
using weft::fftw::fortran::Ints;

F77(plan_dft,
    (PlanHandle * p, Ints rank, Ints n, FftwComplex* in, FftwComplex* out, Ints sign, Ints flags),
    (p, rank, n, in, out, sign, flags))
F77(plan_dft_1d, (PlanHandle * p, Ints n, FftwComplex* in, FftwComplex* out, Ints sign, Ints flags),
    (p, n, in, out, sign, flags))
F77(plan_dft_2d,
    (PlanHandle * p, Ints nx, Ints ny, FftwComplex* in, FftwComplex* out, Ints sign, Ints flags),
    (p, nx, ny, in, out, sign, flags))
F77(plan_dft_3d,
    (PlanHandle * p, Ints nx, Ints ny, Ints nz, FftwComplex* in, FftwComplex* out, Ints sign,
     Ints flags),
    (p, nx, ny, nz, in, out, sign, flags))
F77(plan_dft_r2c, (PlanHandle * p, Ints rank, Ints n, Real* in, FftwComplex* out, Ints flags),
    (p, rank, n, in, out, flags))
F77(plan_dft_r2c_1d, (PlanHandle * p, Ints n, Real* in, FftwComplex* out, Ints flags),
    (p, n, in, out, flags))
F77(plan_dft_r2c_2d, (PlanHandle * p, Ints nx, Ints ny, Real* in, FftwComplex* out, Ints flags),
    (p, nx, ny, in, out, flags))
F77(plan_dft_r2c_3d,
    (PlanHandle * p, Ints nx, Ints ny, Ints nz, Real* in, FftwComplex* out, Ints flags),
    (p, nx, ny, nz, in, out, flags))
F77(plan_dft_c2r, (PlanHandle * p, Ints rank, Ints n, FftwComplex* in, Real* out, Ints flags),
    (p, rank, n, in, out, flags))
F77(plan_dft_c2r_1d, (PlanHandle * p, Ints n, FftwComplex* in, Real* out, Ints flags),
    (p, n, in, out, flags))
F77(plan_dft_c2r_2d, (PlanHandle * p, Ints nx, Ints ny, FftwComplex* in, Real* out, Ints flags),
    (p, nx, ny, in, out, flags))
F77(plan_dft_c2r_3d,
    (PlanHandle * p, Ints nx, Ints ny, Ints nz, FftwComplex* in, Real* out, Ints flags),
    (p, nx, ny, nz, in, out, flags))
F77(plan_r2r, (PlanHandle * p, Ints rank, Ints n, Real* in, Real* out, Ints kinds, Ints flags),
    (p, rank, n, in, out, kinds, flags))
F77(plan_r2r_1d, (PlanHandle * p, Ints n, Real* in, Real* out, Ints kind, Ints flags),
    (p, n, in, out, kind, flags))
F77(plan_r2r_2d,
    (PlanHandle * p, Ints nx, Ints ny, Real* in, Real* out, Ints kx, Ints ky, Ints flags),
    (p, nx, ny, in, out, kx, ky, flags))
F77(plan_r2r_3d,
    (PlanHandle * p, Ints nx, Ints ny, Ints nz, Real* in, Real* out, Ints kx, Ints ky, Ints kz,
     Ints flags),
    (p, nx, ny, nz, in, out, kx, ky, kz, flags))

#define F77_MANY_ARGUMENTS \
  rank, n, howmany, in, inembed, istride, idist, out, onembed, ostride, odist
F77(plan_many_dft,
    (PlanHandle * p, F77_MANY_IN, FftwComplex* in, F77_MANY_SIDE(inembed, istride, idist),
     FftwComplex* out, F77_MANY_SIDE(onembed, ostride, odist), Ints sign, Ints flags),
    (p, F77_MANY_ARGUMENTS, sign, flags))
F77(plan_many_dft_r2c,
    (PlanHandle * p, F77_MANY_IN, Real* in, F77_MANY_SIDE(inembed, istride, idist),
     FftwComplex* out, F77_MANY_SIDE(onembed, ostride, odist), Ints flags),
    (p, F77_MANY_ARGUMENTS, flags))
F77(plan_many_dft_c2r,
    (PlanHandle * p, F77_MANY_IN, FftwComplex* in, F77_MANY_SIDE(inembed, istride, idist),
     Real* out, F77_MANY_SIDE(onembed, ostride, odist), Ints flags),
    (p, F77_MANY_ARGUMENTS, flags))
F77(plan_many_r2r,
    (PlanHandle * p, F77_MANY_IN, Real* in, F77_MANY_SIDE(inembed, istride, idist), Real* out,
     F77_MANY_SIDE(onembed, ostride, odist), Ints kinds, Ints flags),
    (p, F77_MANY_ARGUMENTS, kinds, flags))

#define F77_LOOP_ARGUMENTS rank, n, is, os, hrank, hn, his, hos
F77(plan_guru_dft,
    (PlanHandle * p, F77_LOOPS, FftwComplex* in, FftwComplex* out, Ints sign, Ints flags),
    (p, F77_LOOP_ARGUMENTS, in, out, sign, flags))
F77(plan_guru_split_dft,
    (PlanHandle * p, F77_LOOPS, Real* ri, Real* ii, Real* ro, Real* io, Ints flags),
    (p, F77_LOOP_ARGUMENTS, ri, ii, ro, io, flags))
F77(plan_guru_dft_r2c, (PlanHandle * p, F77_LOOPS, Real* in, FftwComplex* out, Ints flags),
    (p, F77_LOOP_ARGUMENTS, in, out, flags))
F77(plan_guru_split_dft_r2c, (PlanHandle * p, F77_LOOPS, Real* in, Real* ro, Real* io, Ints flags),
    (p, F77_LOOP_ARGUMENTS, in, ro, io, flags))
F77(plan_guru_dft_c2r, (PlanHandle * p, F77_LOOPS, FftwComplex* in, Real* out, Ints flags),
    (p, F77_LOOP_ARGUMENTS, in, out, flags))
F77(plan_guru_split_dft_c2r, (PlanHandle * p, F77_LOOPS, Real* ri, Real* ii, Real* out, Ints flags),
    (p, F77_LOOP_ARGUMENTS, ri, ii, out, flags))
F77(plan_guru_r2r, (PlanHandle * p, F77_LOOPS, Real* in, Real* out, Ints kinds, Ints flags),
    (p, F77_LOOP_ARGUMENTS, in, out, kinds, flags))
