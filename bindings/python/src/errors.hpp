// SPDX-License-Identifier: BSD-3-Clause
// The exceptions that Python users expect. Extension modules see each other's exceptions, so both
// translate in the same way.
#pragma once

#include <nanobind/nanobind.h>

#include "weft/error.hpp"

namespace weft::python {

inline void set_python_error(const Error& error) {
  PyObject* type = PyExc_RuntimeError;
  switch (error.code()) {
    case ErrorCode::invalid_argument:
    case ErrorCode::wisdom: type = PyExc_ValueError; break;
    case ErrorCode::unsupported: type = PyExc_NotImplementedError; break;
    case ErrorCode::out_of_memory: type = PyExc_MemoryError; break;
    case ErrorCode::io: type = PyExc_OSError; break;
    case ErrorCode::mpi:
    case ErrorCode::internal: break;
  }
  PyErr_SetString(type, error.what());
}

}  // namespace weft::python
