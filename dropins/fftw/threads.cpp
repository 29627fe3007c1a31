// SPDX-License-Identifier: BSD-3-Clause
// What FFTW has in libfftw3_threads and libfftw3_omp. Plans may be made and executed by any thread
// at any time, so that there is nothing to prepare.
#include "dropins/fftw/planner.hpp"

FFTW_API int FFTW_NAME(init_threads)() { return 1; }
FFTW_API void FFTW_NAME(plan_with_nthreads)(int nthreads) { weft::fftw::set_threads(nthreads); }
FFTW_API int FFTW_NAME(planner_nthreads)() { return weft::fftw::threads(); }
FFTW_API void FFTW_NAME(cleanup_threads)() { weft::fftw::forget_everything(); }
FFTW_API void FFTW_NAME(make_planner_thread_safe)() {}
FFTW_API void FFTW_NAME(threads_set_callback)(weft::fftw::ParallelLoop parallel_loop, void* data) {
  weft::fftw::set_parallel_loop(parallel_loop, data);
}
