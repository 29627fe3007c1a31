// SPDX-License-Identifier: BSD-3-Clause
// Transforms of arrays in the memory of a GPU, for weft/_device.py.
#pragma once

#include "numpy_api.hpp"

namespace weft::python {

void bind_device(nb::module_& module);

}  // namespace weft::python
