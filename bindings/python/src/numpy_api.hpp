// SPDX-License-Identifier: BSD-3-Clause
// NumPy's C interface, included the same way everywhere, and a reference to an array.
#pragma once

#define PY_ARRAY_UNIQUE_SYMBOL weft_numpy_api
#ifndef WEFT_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <numpy/arrayobject.h>

namespace weft::python {

namespace nb = nanobind;

/// A NumPy array that is kept alive; null for none.
class Array {
 public:
  Array() = default;
  /// Takes over a new reference, which NumPy made; null means that it raised an error.
  static Array steal(PyObject* object) {
    if (object == nullptr) nb::raise_python_error();
    return Array(nb::steal(object));
  }
  static Array borrow(nb::handle object) { return Array(nb::borrow(object)); }

  explicit operator bool() const { return object_.is_valid(); }
  PyArrayObject* get() const { return reinterpret_cast<PyArrayObject*>(object_.ptr()); }
  const nb::object& object() const { return object_; }

  int ndim() const { return PyArray_NDIM(get()); }
  npy_intp extent(int d) const { return PyArray_DIM(get(), d); }
  npy_intp stride_bytes(int d) const { return PyArray_STRIDE(get(), d); }
  npy_intp item_bytes() const { return PyArray_ITEMSIZE(get()); }
  int type() const { return PyArray_TYPE(get()); }
  void* data() const { return PyArray_DATA(get()); }

 private:
  explicit Array(nb::object object) : object_(std::move(object)) {}
  nb::object object_;
};

inline bool is_array(nb::handle object) { return PyArray_Check(object.ptr()); }

}  // namespace weft::python
