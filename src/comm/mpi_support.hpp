// SPDX-License-Identifier: BSD-3-Clause
// What libweft exports for the libraries that are compiled once per MPI (src/mpi, the plugins of
// the tool), besides its public interface. It changes with weft: those libraries are of the same
// build.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/work_ref.hpp"
#include "weft/comm.hpp"
#include "weft/export.h"

namespace weft::mpi_support {

/// As the functions of these names in comm/agree.hpp and comm/shared_segment.hpp.
WEFT_API void agree(const Comm& comm, WorkRef work);
WEFT_API void require_equal(const Comm& comm, const std::string& mine, const char* what);
WEFT_API std::unique_ptr<SharedMemory> make_shared_segment(const Comm& node, std::size_t bytes);

}  // namespace weft::mpi_support
