// SPDX-License-Identifier: BSD-3-Clause
// Comm over MPI ranks. The only public header that needs mpi.h. Link weft::mpi; if weft was built
// for two MPI libraries, link weft::openmpi or weft::mpich.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "weft/comm.hpp"
#include "weft/export.h"

namespace weft {

struct MpiOptions {
  /// The node number of each rank; ranks with equal numbers share memory. Empty: ask MPI. For
  /// tests, and for machines whose shared-memory domains MPI does not know.
  std::vector<int> nodes = {};
  /// Longer messages are sent in pieces, so that counts fit in MPI's int.
  Index max_message_bytes = Index{1} << 30;
};

/// Collective. A Comm with the ranks of `comm`. The communicator is duplicated, so weft's messages
/// never mix with the caller's. Throws weft::Error. Destroy all weft objects made from it before
/// MPI_Finalize.
WEFT_API std::shared_ptr<const Comm> mpi_comm(MPI_Comm comm, const MpiOptions& options = {});

}  // namespace weft
