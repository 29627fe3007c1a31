// SPDX-License-Identifier: BSD-3-Clause
// Arrays on the way in and out: which element type a transform of an array has, when an array is
// used where it lies and when it is copied.
#pragma once

#include "numpy_api.hpp"
#include "weft/types.hpp"

namespace weft::python {

enum class Source {
  here,         ///< `array` can be read by the engine
  long_double,  ///< of a type that the engine does not have
  device,       ///< in the memory of a GPU
};

struct Input {
  Source source = Source::here;
  Array array;
  /// Reads as Array and is returned as this package's kind of array; null: NumPy's.
  nb::object package;
};

/// Any array, or what NumPy makes one of, as float32, float64, complex64 or complex128: float16
/// becomes float32, integers and booleans float64. It is copied only if its type changes, or if it
/// is not native, not aligned, or its strides are not whole elements.
Input as_input(nb::handle x);

inline bool is_complex(const Array& a) { return a.type() == NPY_CFLOAT || a.type() == NPY_CDOUBLE; }
inline bool is_single(const Array& a) { return a.type() == NPY_FLOAT || a.type() == NPY_CFLOAT; }
int numpy_type(Precision precision, bool is_complex);

/// Whether the engine can read, or with `to_write` also write, the array where it lies.
bool is_usable(const Array& array, bool to_write);

Array cast(const Array& array, int type);

/// Copies elements into an array of a type that can hold them; refuses others.
void assign(const Array& to, const Array& from);

/// Refuses what cannot be the output of a call.
Array as_output(nb::handle out, int ndim, const npy_intp* shape);

/// How two arrays share memory. `wholly`: the same elements of one size, so that a transform works
/// in place; `partly`: it would write over what it still reads.
enum class Overlap { none, wholly, partly };
Overlap overlap_of(const Array& input, const Array& output);

}  // namespace weft::python
