// SPDX-License-Identifier: BSD-3-Clause
// Ranks from an MPI communicator, for C and Fortran.
#include "c/bridge.hpp"
#include "weft/mpi.hpp"
#include "weft/weft_mpi.h"

weft_status weft_comm_from_mpi(weft_comm** comm, MPI_Comm mpi_comm) {
  return weft::c::make_comm(
      comm, [](const void* from) { return weft::mpi_comm(*static_cast<const MPI_Comm*>(from)); },
      &mpi_comm);
}

weft_status weft_comm_from_mpi_f(weft_comm** comm, MPI_Fint mpi_comm) {
  return weft::c::make_comm(
      comm,
      [](const void* from) {
        int is_initialized = 0;
        MPI_Initialized(&is_initialized);
        return weft::mpi_comm(is_initialized == 0
                                  ? MPI_COMM_NULL
                                  : MPI_Comm_f2c(*static_cast<const MPI_Fint*>(from)));
      },
      &mpi_comm);
}
