// SPDX-License-Identifier: BSD-3-Clause
// Ranks of MPI. The only public header that needs mpi.h; link weft::mpi, or weft::openmpi or
// weft::mpich where a build has both.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "weft/comm.hpp"

namespace weft {

struct MpiOptions {
  /// Which ranks share memory, one number per rank, equal numbers for equal nodes; empty: MPI says.
  /// For tests, and for machines whose memory domains MPI does not see.
  std::vector<int> nodes = {};
  /// Longer messages travel in pieces, so that counts fit MPI's int.
  Index max_message_bytes = Index{1} << 30;
};

/// Collective. The ranks of `comm`, which is duplicated: weft's messages never meet the caller's.
/// Throws weft::Error. All weft objects made from it must be destroyed before MPI_Finalize.
std::shared_ptr<const Comm> mpi_comm(MPI_Comm comm, const MpiOptions& options = {});

}  // namespace weft
