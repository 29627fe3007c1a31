/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks from an MPI communicator, for C. Link weft::mpi (pkg-config: weft-mpi). */
#ifndef WEFT_WEFT_MPI_H
#define WEFT_WEFT_MPI_H

#include <mpi.h>

#include "weft/weft.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Collective. The communicator is duplicated, so weft's messages never mix with the caller's.
   Destroy everything made from it before MPI_Finalize. */
WEFT_API weft_status weft_comm_from_mpi(weft_comm** comm, MPI_Comm mpi_comm);
/* The same from Fortran's handle of a communicator: the integer of `use mpi`, and of `use mpi_f08`
   comm%MPI_VAL. */
WEFT_API weft_status weft_comm_from_mpi_f(weft_comm** comm, MPI_Fint mpi_comm);

#ifdef __cplusplus
}
#endif

#endif
