// SPDX-License-Identifier: BSD-3-Clause
// A Comm whose messages are sent by Python: weft.mpi's class _Ranks, which calls mpi4py. So the
// module is built without MPI and works with the one that mpi4py was built for.
#pragma once

#include <memory>

#include "numpy_api.hpp"
#include "weft/comm.hpp"

namespace weft::python {

std::shared_ptr<const Comm> python_comm(nb::object ranks);

}  // namespace weft::python
