// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"

#include <string>

namespace weft::python {
namespace {

/// The type that an array of `type` is transformed in.
int working_type(int type) {
  switch (type) {
    case NPY_FLOAT:
    case NPY_DOUBLE:
    case NPY_CFLOAT:
    case NPY_CDOUBLE: return type;
    case NPY_HALF: return NPY_FLOAT;
    default: return NPY_DOUBLE;
  }
}

bool has_whole_strides(const Array& array) {
  const npy_intp item = array.item_bytes();
  for (int d = 0; d < array.ndim(); ++d)
    if (array.extent(d) > 1 && array.stride_bytes(d) % item != 0) return false;
  return true;
}

/// Arrays of other libraries say where they are; NumPy asked for those on a GPU would fail late.
bool is_on_device(nb::handle x) {
  if (PyList_Check(x.ptr()) || PyTuple_Check(x.ptr()) || PyFloat_Check(x.ptr())) return false;
  if (nb::hasattr(x, "__cuda_array_interface__")) return true;
  if (!nb::hasattr(x, "__dlpack_device__")) return false;
  const nb::object device = x.attr("__dlpack_device__")();
  const int kind = nb::cast<int>(nb::object(device[0]));
  return kind == 2 || kind == 13;  // kDLCUDA, kDLCUDAManaged
}

/// Tensors of PyTorch come back as tensors.
nb::object package_of(nb::handle x) {
  const nb::object module = nb::getattr(x.type(), "__module__", nb::none());
  if (!nb::isinstance<nb::str>(module)) return {};
  const char* name = nb::cast<const char*>(module);
  if (std::string(name).rfind("torch", 0) != 0 || !nb::hasattr(x, "__dlpack__")) return {};
  return nb::module_::import_("torch");
}

Array array_of(nb::handle x, nb::object& package) {
  package = package_of(x);
  if (package.is_valid()) {
    const nb::object tensor =
        nb::cast<bool>(x.attr("requires_grad")) ? nb::object(x.attr("detach")()) : nb::borrow(x);
    return Array::steal(
        PyArray_FromAny(nb::object(tensor.attr("resolve_conj")().attr("resolve_neg")()).ptr(),
                        nullptr, 0, 0, 0, nullptr));
  }
  const bool has_dlpack_only = nb::hasattr(x, "__dlpack__") && !nb::hasattr(x, "__array__") &&
                               !nb::hasattr(x, "__array_interface__");
  if (has_dlpack_only && !PyObject_CheckBuffer(x.ptr()))
    return Array::borrow(nb::module_::import_("numpy").attr("from_dlpack")(nb::borrow(x)));
  return Array::steal(PyArray_FromAny(x.ptr(), nullptr, 0, 0, 0, nullptr));
}

/// The lowest and the highest address of an array's elements, as half-open bytes.
struct Bytes {
  const char *begin, *end;
};

Bytes bytes_of(const Array& array) {
  const char* begin = static_cast<const char*>(array.data());
  const char* end = begin + array.item_bytes();
  for (int d = 0; d < array.ndim(); ++d) {
    if (array.extent(d) == 0) return {begin, begin};
    const npy_intp reach = (array.extent(d) - 1) * array.stride_bytes(d);
    (reach < 0 ? begin : end) += reach;
  }
  return {begin, end};
}

}  // namespace

bool is_usable(const Array& array, bool to_write) {
  const int type = array.type();
  if (type != NPY_FLOAT && type != NPY_DOUBLE && type != NPY_CFLOAT && type != NPY_CDOUBLE)
    return false;
  const int needed = NPY_ARRAY_ALIGNED | (to_write ? NPY_ARRAY_WRITEABLE : 0);
  return PyArray_CHKFLAGS(array.get(), needed) && PyArray_ISNOTSWAPPED(array.get()) &&
         has_whole_strides(array);
}

Array cast(const Array& array, int type) {
  PyArray_Descr* descriptor = PyArray_DescrFromType(type);  // PyArray_FromArray takes it over
  return Array::steal(PyArray_FromArray(
      array.get(), descriptor, NPY_ARRAY_CARRAY | NPY_ARRAY_FORCECAST | NPY_ARRAY_ENSUREARRAY));
}

Input as_input(nb::handle x) {
  Input result;
  if (is_array(x)) {
    result.array = Array::borrow(x);
  } else {
    if (is_on_device(x)) return {Source::device, {}, {}};
    result.array = array_of(x, result.package);
  }
  const int type = result.array.type();
  if (type == NPY_LONGDOUBLE || type == NPY_CLONGDOUBLE)
    result.source = Source::long_double;
  else if (!is_usable(result.array, false))
    result.array = cast(result.array, working_type(type));
  return result;
}

int numpy_type(Precision precision, bool is_complex) {
  if (precision == Precision::f32) return is_complex ? NPY_CFLOAT : NPY_FLOAT;
  return is_complex ? NPY_CDOUBLE : NPY_DOUBLE;
}

Array as_output(nb::handle out, int ndim, const npy_intp* shape) {
  if (!is_array(out)) throw nb::type_error("out must be of ArrayType: pass a numpy.ndarray");
  const Array array = Array::borrow(out);
  bool fits = array.ndim() == ndim;
  for (int d = 0; fits && d < ndim; ++d) fits = array.extent(d) == shape[d];
  if (!fits) {
    std::string text = "out has wrong shape; the result has the shape (";
    for (int d = 0; d < ndim; ++d) text += std::to_string(shape[d]) + (d + 1 < ndim ? ", " : "");
    throw nb::value_error((text + (ndim == 1 ? ",)" : ")")).c_str());
  }
  if (!PyArray_ISWRITEABLE(array.get())) throw nb::value_error("out is read-only");
  return array;
}

void assign(const Array& to, const Array& from) {
  if (!PyArray_CanCastArrayTo(from.get(), PyArray_DESCR(to.get()), NPY_SAME_KIND_CASTING))
    throw nb::type_error("Cannot cast the result to the dtype of out");
  if (PyArray_CopyInto(to.get(), from.get()) != 0) nb::raise_python_error();
}

Overlap overlap_of(const Array& input, const Array& output) {
  const Bytes in = bytes_of(input), out = bytes_of(output);
  if (in.begin >= out.end || out.begin >= in.end) return Overlap::none;
  bool is_same = input.data() == output.data() && input.item_bytes() == output.item_bytes();
  for (int d = 0; is_same && d < input.ndim(); ++d)
    is_same = input.extent(d) == output.extent(d) &&
              (input.extent(d) <= 1 || input.stride_bytes(d) == output.stride_bytes(d));
  return is_same ? Overlap::wholly : Overlap::partly;
}

}  // namespace weft::python
