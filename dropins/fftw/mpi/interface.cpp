// SPDX-License-Identifier: BSD-3-Clause
// All names of FFTW's MPI interface. Functions that take a communicator have a second name, with
// _f03, for Fortran, which has an integer in its place.
#include "dropins/fftw/mpi/requests.hpp"
#include "fftw3-mpi.h"

using weft::Kind;
using weft::fftw::Lengths;
using weft::fftw::PlanHandle;
using weft::fftw::R2rKind;
using weft::fftw::Real;
using FftwComplex = FFTW_NAME(complex);
using Size = std::ptrdiff_t;
namespace requests = weft::fftw;

/// MPI_FUNCTION(result, name, (parameters), (parameters after the communicator), call): `call` is
/// an expression of the parameters and of `comm`.
#define UNWRAP(...) __VA_ARGS__
#define MPI_FUNCTION(result, name, before, after, call)                                      \
  FFTW_API result FFTW_NAME(name)(UNWRAP before MPI_Comm comm UNWRAP after) { return call; } \
  FFTW_API result FFTW_NAME(name##_f03)(UNWRAP before MPI_Fint fortran UNWRAP after) {       \
    const MPI_Comm comm = MPI_Comm_f2c(fortran);                                             \
    return call;                                                                             \
  }

#define ROWS , Size *local_n0, Size *local_0_start
#define ROWS_AND_COLUMNS ROWS, Size *local_n1, Size *local_1_start
#define OF_ROWS \
  {local_n0, local_0_start}, {}
#define OF_BOTH \
  {local_n0, local_0_start}, { local_n1, local_1_start }

MPI_FUNCTION(Size, mpi_local_size, (int rank, const Size* n, ), (ROWS),
             requests::local_size({rank, n}, comm, OF_ROWS))
MPI_FUNCTION(Size, mpi_local_size_transposed, (int rank, const Size* n, ), (ROWS_AND_COLUMNS),
             requests::local_size({rank, n}, comm, OF_BOTH))
MPI_FUNCTION(Size, mpi_local_size_many, (int rank, const Size* n, Size howmany, Size block0, ),
             (ROWS), requests::local_size({rank, n, howmany, block0}, comm, OF_ROWS))
MPI_FUNCTION(Size, mpi_local_size_many_transposed,
             (int rank, const Size* n, Size howmany, Size block0, Size block1, ),
             (ROWS_AND_COLUMNS),
             requests::local_size({rank, n, howmany, block0, block1}, comm, OF_BOTH))

namespace {

/// Arrays of two and three dimensions whose lengths are arguments of their own.
struct Two {
  Size n[2];
  operator Lengths() const { return {2, n}; }
};
struct Three {
  Size n[3];
  operator Lengths() const { return {3, n}; }
};
struct One {
  Size n[1];
  operator Lengths() const { return {1, n}; }
};

}  // namespace

MPI_FUNCTION(Size, mpi_local_size_2d, (Size n0, Size n1, ), (ROWS),
             requests::local_size(Two{{n0, n1}}, comm, OF_ROWS))
MPI_FUNCTION(Size, mpi_local_size_3d, (Size n0, Size n1, Size n2, ), (ROWS),
             requests::local_size(Three{{n0, n1, n2}}, comm, OF_ROWS))
MPI_FUNCTION(Size, mpi_local_size_2d_transposed, (Size n0, Size n1, ), (ROWS_AND_COLUMNS),
             requests::local_size(Two{{n0, n1}}, comm, OF_BOTH))
MPI_FUNCTION(Size, mpi_local_size_3d_transposed, (Size n0, Size n1, Size n2, ), (ROWS_AND_COLUMNS),
             requests::local_size(Three{{n0, n1, n2}}, comm, OF_BOTH))

#define ONE_DIMENSION \
  , int, unsigned, Size *local_ni, Size *local_i_start, Size *local_no, Size *local_o_start
#define OF_ONE \
  {local_ni, local_i_start}, { local_no, local_o_start }
MPI_FUNCTION(Size, mpi_local_size_1d, (Size n0, ), (ONE_DIMENSION),
             requests::local_size_1d(n0, 1, comm, OF_ONE))
MPI_FUNCTION(Size, mpi_local_size_many_1d, (Size n0, Size howmany, ), (ONE_DIMENSION),
             requests::local_size_1d(n0, howmany, comm, OF_ONE))

MPI_FUNCTION(PlanHandle, mpi_plan_transpose, (Size n0, Size n1, Real* in, Real* out, ),
             (, unsigned flags), requests::plan_transpose(Two{{n0, n1}}, in, out, comm, flags))
MPI_FUNCTION(PlanHandle, mpi_plan_many_transpose,
             (Size n0, Size n1, Size howmany, Size block0, Size block1, Real* in, Real* out, ),
             (, unsigned flags),
             requests::plan_transpose({2, Two{{n0, n1}}.n, howmany, block0, block1}, in, out, comm,
                                      flags))

#define COMPLEX_ARRAYS FftwComplex *in, FftwComplex *out,
MPI_FUNCTION(PlanHandle, mpi_plan_dft, (int rank, const Size* n, COMPLEX_ARRAYS),
             (, int sign, unsigned flags),
             requests::plan_c2c({rank, n}, in, out, comm, sign, flags))
MPI_FUNCTION(PlanHandle, mpi_plan_dft_1d, (Size n0, COMPLEX_ARRAYS), (, int sign, unsigned flags),
             requests::plan_c2c(One{{n0}}, in, out, comm, sign, flags))
MPI_FUNCTION(PlanHandle, mpi_plan_dft_2d, (Size n0, Size n1, COMPLEX_ARRAYS),
             (, int sign, unsigned flags),
             requests::plan_c2c(Two{{n0, n1}}, in, out, comm, sign, flags))
MPI_FUNCTION(PlanHandle, mpi_plan_dft_3d, (Size n0, Size n1, Size n2, COMPLEX_ARRAYS),
             (, int sign, unsigned flags),
             requests::plan_c2c(Three{{n0, n1, n2}}, in, out, comm, sign, flags))
MPI_FUNCTION(PlanHandle, mpi_plan_many_dft,
             (int rank, const Size* n, Size howmany, Size block, Size tblock, COMPLEX_ARRAYS),
             (, int sign, unsigned flags),
             requests::plan_c2c({rank, n, howmany, block, tblock}, in, out, comm, sign, flags))

#define HALVED_INTERFACE(name, kind, In, Out)                                                    \
  MPI_FUNCTION(PlanHandle, mpi_plan_##name, (int rank, const Size* n, In* in, Out* out, ),       \
               (, unsigned flags), requests::plan_halved(kind, {rank, n}, in, out, comm, flags)) \
  MPI_FUNCTION(PlanHandle, mpi_plan_##name##_2d, (Size n0, Size n1, In * in, Out * out, ),       \
               (, unsigned flags),                                                               \
               requests::plan_halved(kind, Two{{n0, n1}}, in, out, comm, flags))                 \
  MPI_FUNCTION(PlanHandle, mpi_plan_##name##_3d,                                                 \
               (Size n0, Size n1, Size n2, In * in, Out * out, ), (, unsigned flags),            \
               requests::plan_halved(kind, Three{{n0, n1, n2}}, in, out, comm, flags))           \
  MPI_FUNCTION(                                                                                  \
      PlanHandle, mpi_plan_many_##name,                                                          \
      (int rank, const Size* n, Size howmany, Size block0, Size block1, In* in, Out* out, ),     \
      (, unsigned flags),                                                                        \
      requests::plan_halved(kind, {rank, n, howmany, block0, block1}, in, out, comm, flags))
HALVED_INTERFACE(dft_r2c, Kind::r2c, Real, FftwComplex)
HALVED_INTERFACE(dft_c2r, Kind::c2r, FftwComplex, Real)

MPI_FUNCTION(PlanHandle, mpi_plan_r2r, (int rank, const Size* n, Real* in, Real* out, ),
             (, const R2rKind* kind, unsigned flags),
             requests::plan_r2r({rank, n}, in, out, comm, kind, flags))
MPI_FUNCTION(PlanHandle, mpi_plan_many_r2r,
             (int rank, const Size* n, Size howmany, Size block0, Size block1, Real* in,
              Real* out, ),
             (, const R2rKind* kind, unsigned flags),
             requests::plan_r2r({rank, n, howmany, block0, block1}, in, out, comm, kind, flags))

namespace {

struct Kinds {
  R2rKind kinds[3];
};

}  // namespace

MPI_FUNCTION(PlanHandle, mpi_plan_r2r_2d, (Size n0, Size n1, Real* in, Real* out, ),
             (, R2rKind kind0, R2rKind kind1, unsigned flags),
             requests::plan_r2r(Two{{n0, n1}}, in, out, comm, Kinds{{kind0, kind1, kind1}}.kinds,
                                flags))
MPI_FUNCTION(PlanHandle, mpi_plan_r2r_3d, (Size n0, Size n1, Size n2, Real* in, Real* out, ),
             (, R2rKind kind0, R2rKind kind1, R2rKind kind2, unsigned flags),
             requests::plan_r2r(Three{{n0, n1, n2}}, in, out, comm,
                                Kinds{{kind0, kind1, kind2}}.kinds, flags))

MPI_FUNCTION(void, mpi_gather_wisdom, (), (), requests::gather_wisdom(comm))
MPI_FUNCTION(void, mpi_broadcast_wisdom, (), (), requests::broadcast_wisdom(comm))

FFTW_API void FFTW_NAME(mpi_init)() {}
FFTW_API void FFTW_NAME(mpi_cleanup)() { FFTW_NAME(cleanup)(); }
FFTW_API void FFTW_NAME(mpi_execute_dft)(PlanHandle plan, FftwComplex* in, FftwComplex* out) {
  FFTW_NAME(execute_dft)(plan, in, out);
}
FFTW_API void FFTW_NAME(mpi_execute_dft_r2c)(PlanHandle plan, Real* in, FftwComplex* out) {
  FFTW_NAME(execute_dft_r2c)(plan, in, out);
}
FFTW_API void FFTW_NAME(mpi_execute_dft_c2r)(PlanHandle plan, FftwComplex* in, Real* out) {
  FFTW_NAME(execute_dft_c2r)(plan, in, out);
}
FFTW_API void FFTW_NAME(mpi_execute_r2r)(PlanHandle plan, Real* in, Real* out) {
  FFTW_NAME(execute_r2r)(plan, in, out);
}
