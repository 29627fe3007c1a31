// SPDX-License-Identifier: BSD-3-Clause
// Distributed plans over the ranks of a communicator of mpi4py, for weft/mpi.
#pragma once

#include "numpy_api.hpp"

namespace weft::python {

void bind_distributed(nb::module_& module);

}  // namespace weft::python
