// SPDX-License-Identifier: BSD-3-Clause
// How the libraries that are compiled once per MPI make a weft_comm; see also comm/mpi_support.hpp.
#pragma once

#include <memory>

#include "weft/comm.hpp"
#include "weft/export.h"
#include "weft/weft.h"

namespace weft::c {

using MakeComm = std::shared_ptr<const Comm> (*)(const void* argument);

/// *comm is the handle of make(argument); nothing that it throws leaves here.
WEFT_API weft_status make_comm(weft_comm** comm, MakeComm make, const void* argument) noexcept;

}  // namespace weft::c
