// SPDX-License-Identifier: BSD-3-Clause
// FFTW-MPI, a peer of `weft bench mpi` and `weft bench global1d`, loaded at run time.
#pragma once

#include <mpi.h>

#include "mpi/runtime.hpp"

namespace weft::tool {

/// Whether FFTW-MPI is installed for this MPI.
bool has_fftw_mpi(Precision precision);
/// Collective. FFTW's cut of a 1-D array.
FftwMpiBlocks fftw_mpi_blocks(const FftwMpiProblem& problem, MPI_Comm comm);
/// Collective. Null where FFTW makes no plan, where it is not installed or belongs to another MPI.
std::unique_ptr<FftwMpiPlan> make_fftw_mpi_plan(const FftwMpiProblem& problem, MPI_Comm comm);

}  // namespace weft::tool
