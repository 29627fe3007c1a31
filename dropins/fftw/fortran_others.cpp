// SPDX-License-Identifier: BSD-3-Clause
// The rest of FFTW's interface for Fortran 77: execution, wisdom, threads. As in fortran.cpp, all
// arguments are pointers, and every name has one or two underscores at its end.
#include "dropins/fftw/precision.hpp"

#ifdef WEFT_FFTW_IS_FLOAT
#define F77_NAME(name, underscores) sfftw_##name##underscores
#else
#define F77_NAME(name, underscores) dfftw_##name##underscores
#endif
#undef F77  // of fortran.cpp, where both are compiled as one file
#define F77(name, parameters, body)                    \
  FFTW_API void F77_NAME(name, _) parameters { body; } \
  FFTW_API void F77_NAME(name, __) parameters { body; }

using weft::fftw::PlanHandle;
using weft::fftw::Real;
using FftwComplex = FFTW_NAME(complex);

namespace {

/// A Fortran subroutine that takes or gives one character at a time.
using PutCharacter = void (*)(const char* c, void* data);
using GetCharacter = void (*)(int* c, void* data);
template <class Function>
struct WithData {
  Function function;
  void* data;
};

void export_wisdom(PutCharacter put, void* data) {
  WithData<PutCharacter> target{put, data};
  FFTW_NAME(export_wisdom)(
      [](char c, void* to) {
        const auto& t = *static_cast<WithData<PutCharacter>*>(to);
        t.function(&c, t.data);
      },
      &target);
}
int import_wisdom(GetCharacter get, void* data) {
  WithData<GetCharacter> source{get, data};
  return FFTW_NAME(import_wisdom)(
      [](void* from) {
        const auto& s = *static_cast<WithData<GetCharacter>*>(from);
        int c = EOF;
        s.function(&c, s.data);
        return c < 0 ? EOF : c;
      },
      &source);
}

}  // namespace

F77(execute, (const PlanHandle* p), FFTW_NAME(execute)(*p))
F77(destroy_plan, (const PlanHandle* p), FFTW_NAME(destroy_plan)(*p))
F77(cleanup, (), FFTW_NAME(cleanup)())
F77(execute_dft, (const PlanHandle* p, FftwComplex* in, FftwComplex* out),
    FFTW_NAME(execute_dft)(*p, in, out))
F77(execute_dft_r2c, (const PlanHandle* p, Real* in, FftwComplex* out),
    FFTW_NAME(execute_dft_r2c)(*p, in, out))
F77(execute_dft_c2r, (const PlanHandle* p, FftwComplex* in, Real* out),
    FFTW_NAME(execute_dft_c2r)(*p, in, out))
F77(execute_r2r, (const PlanHandle* p, Real* in, Real* out), FFTW_NAME(execute_r2r)(*p, in, out))
F77(execute_split_dft, (const PlanHandle* p, Real* ri, Real* ii, Real* ro, Real* io),
    FFTW_NAME(execute_split_dft)(*p, ri, ii, ro, io))
F77(execute_split_dft_r2c, (const PlanHandle* p, Real* in, Real* ro, Real* io),
    FFTW_NAME(execute_split_dft_r2c)(*p, in, ro, io))
F77(execute_split_dft_c2r, (const PlanHandle* p, Real* ri, Real* ii, Real* out),
    FFTW_NAME(execute_split_dft_c2r)(*p, ri, ii, out))

F77(export_wisdom, (PutCharacter put, void* data), export_wisdom(put, data))
F77(import_wisdom, (int* succeeded, GetCharacter get, void* data),
    *succeeded = import_wisdom(get, data))
F77(import_system_wisdom, (int* succeeded), *succeeded = FFTW_NAME(import_system_wisdom)())
F77(forget_wisdom, (), FFTW_NAME(forget_wisdom)())

F77(flops, (const PlanHandle* p, double* add, double* mul, double* fma),
    FFTW_NAME(flops)(*p, add, mul, fma))
F77(cost, (double* cost, const PlanHandle* p), *cost = FFTW_NAME(cost)(*p))
F77(estimate_cost, (double* cost, const PlanHandle* p), *cost = FFTW_NAME(estimate_cost)(*p))
F77(print_plan, (const PlanHandle* p), FFTW_NAME(print_plan)(*p))
F77(set_timelimit, (const double* seconds), FFTW_NAME(set_timelimit)(*seconds))

F77(init_threads, (int* succeeded), *succeeded = FFTW_NAME(init_threads)())
F77(plan_with_nthreads, (const int* threads), FFTW_NAME(plan_with_nthreads)(*threads))
F77(planner_nthreads, (int* threads), *threads = FFTW_NAME(planner_nthreads)())
F77(cleanup_threads, (), FFTW_NAME(cleanup_threads)())
