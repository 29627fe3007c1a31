// SPDX-License-Identifier: BSD-3-Clause
// The two functions that a plugin exports.
#pragma once

#include "mpi/runtime.hpp"

namespace weft::tool {
using StartMpi = MpiRuntime* (*)();  ///< weft_start_mpi: MPI_Init
using StopMpi = void (*)(int);       ///< weft_stop_mpi: MPI_Finalize, or MPI_Abort after an error
}  // namespace weft::tool
