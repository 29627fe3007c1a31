// SPDX-License-Identifier: BSD-3-Clause
#include "comm/mpi_support.hpp"

#include "comm/agree.hpp"
#include "comm/shared_segment.hpp"

namespace weft::mpi_support {

void agree(const Comm& comm, WorkRef work) { weft::agree(comm, work); }

void require_equal(const Comm& comm, const std::string& mine, const char* what) {
  weft::require_equal(comm, mine, what);
}

std::unique_ptr<SharedMemory> make_shared_segment(const Comm& node, std::size_t bytes) {
  return weft::make_shared_segment(node, bytes);
}

}  // namespace weft::mpi_support
