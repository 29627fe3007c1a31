// SPDX-License-Identifier: BSD-3-Clause
// weft.SpectralOperator: forward transform, a function of the modes as text, backward transform.
#pragma once

#include "numpy_api.hpp"

namespace weft::python {

void bind_operator(nb::module_& module);

}  // namespace weft::python
