// SPDX-License-Identifier: BSD-3-Clause
// libfftw3_threads and libfftw3_omp: their functions are in libfftw3, which they bring in.
