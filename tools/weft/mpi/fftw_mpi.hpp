// SPDX-License-Identifier: BSD-3-Clause
// FFTW-MPI, a peer of `weft bench mpi`, loaded at run time.
#pragma once

#include <mpi.h>

#include "mpi/runtime.hpp"

namespace weft::tool {

/// Collective. Null where FFTW-MPI is not installed or belongs to another MPI.
std::unique_ptr<FftwMpiPlan> make_fftw_mpi_plan(const FftwMpiProblem& problem, MPI_Comm comm);

}  // namespace weft::tool
