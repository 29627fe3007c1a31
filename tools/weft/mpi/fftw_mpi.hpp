// SPDX-License-Identifier: BSD-3-Clause
// FFTW-MPI, loaded at run time, for the comparison in `weft bench mpi` and `weft bench global1d`.
#pragma once

#include <mpi.h>

#include "mpi/runtime.hpp"

namespace weft::tool {

/// Whether FFTW-MPI is installed for this MPI.
bool has_fftw_mpi(Precision precision);
/// Collective. FFTW's distribution of a 1-D array.
FftwMpiBlocks fftw_mpi_blocks(const FftwMpiProblem& problem, MPI_Comm comm);
/// Collective. Null if FFTW cannot plan the problem, is not installed, or was built for another
/// MPI.
std::unique_ptr<PeerPlan> make_fftw_mpi_plan(const FftwMpiProblem& problem, MPI_Comm comm);

}  // namespace weft::tool
