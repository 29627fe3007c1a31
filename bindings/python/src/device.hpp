// SPDX-License-Identifier: BSD-3-Clause
// Transforms of arrays in the memory of a GPU, for weft/_device.py.
#pragma once

#include "arrays.hpp"

namespace weft::python {

/// Shape, strides and type as NumPy has them, with an address that only the GPU reads:
/// (address, shape, strides in bytes or None, type as text).
Array header_of(const nb::tuple& memory);

void bind_device(nb::module_& module);

}  // namespace weft::python
