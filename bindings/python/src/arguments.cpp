// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <sched.h>

#include <algorithm>
#include <string>
#include <thread>

namespace weft::python {
namespace {

thread_local int workers_of_this_thread = 1;

int core_count() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

npy_intp integer(nb::handle value, const char* what) {
  const npy_intp result = PyNumber_AsSsize_t(value.ptr(), PyExc_OverflowError);
  if (result == -1 && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) nb::raise_python_error();
    PyErr_Clear();
    throw nb::type_error((std::string(what) + " must be an integer").c_str());
  }
  return result;
}

[[noreturn]] void raise_axis_error(npy_intp axis, int ndim) {
  nb::object numpy = nb::module_::import_("numpy");
  if (nb::hasattr(numpy, "exceptions")) numpy = numpy.attr("exceptions");
  const nb::object type = numpy.attr("AxisError");
  PyErr_SetObject(type.ptr(), nb::object(type(axis, ndim)).ptr());
  nb::raise_python_error();
}

int checked_axis(npy_intp axis, int ndim) {
  if (axis < -ndim || axis >= ndim) raise_axis_error(axis, ndim);
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

void check_ndim(const Array& x) {
  if (x.ndim() >= max_ndim)
    throw nb::value_error("an array of more than 31 dimensions: reshape it to fewer first");
}

npy_intp checked_length(npy_intp length) {
  if (length < 1)
    throw nb::value_error(
        ("Invalid number of FFT data points (" + std::to_string(length) + ") specified").c_str());
  return length;
}

/// A number or a sequence of numbers into at most max_ndim entries; returns how many.
int integers(nb::handle values, const char* what, std::array<npy_intp, max_ndim>& result) {
  const std::string wrong = std::string(what) + " must be a scalar or iterable of integers";
  const bool is_list = is_array(values) && PyArray_NDIM(Array::borrow(values).get()) > 0;
  if (!is_list && PyIndex_Check(values.ptr())) {
    result[0] = integer(values, what);
    return 1;
  }
  PyObject* list = PySequence_Fast(values.ptr(), wrong.c_str());
  if (list == nullptr) {
    PyErr_Clear();
    throw nb::value_error(wrong.c_str());
  }
  const nb::object keep = nb::steal(list);
  const Py_ssize_t count = PySequence_Size(list);
  if (count > max_ndim)
    throw nb::value_error((std::string(what) + " has too many entries").c_str());
  for (Py_ssize_t i = 0; i < count; ++i) {
    const nb::object item = nb::steal(PySequence_GetItem(list, i));
    if (item.is_none()) {
      result[i] = -1;
    } else if (!PyIndex_Check(item.ptr())) {
      throw nb::value_error(wrong.c_str());
    } else {
      result[i] = integer(item, what);
    }
  }
  return static_cast<int>(count);
}

}  // namespace

bool is_true(nb::handle value) {
  const int result = PyObject_IsTrue(value.ptr());
  if (result < 0) nb::raise_python_error();
  return result == 1;
}
bool is_ortho(nb::handle norm) {
  return PyUnicode_Check(norm.ptr()) && PyUnicode_CompareWithASCIIString(norm.ptr(), "ortho") == 0;
}

Scale scale_of(nb::handle norm, bool is_forward) {
  if (norm.is_none()) return is_forward ? Scale::none : Scale::by_n;
  if (PyUnicode_Check(norm.ptr())) {
    const auto equals = [&](const char* text) {
      return PyUnicode_CompareWithASCIIString(norm.ptr(), text) == 0;
    };
    if (equals("backward")) return is_forward ? Scale::none : Scale::by_n;
    if (equals("ortho")) return Scale::by_sqrt_n;
    if (equals("forward")) return is_forward ? Scale::by_n : Scale::none;
  }
  const std::string text = nb::cast<std::string>(nb::str(nb::repr(norm)));
  throw nb::value_error(
      ("Invalid norm value " + text + "; should be \"backward\", \"ortho\" or \"forward\".")
          .c_str());
}

int default_workers() { return workers_of_this_thread; }
void set_default_workers(int workers) { workers_of_this_thread = workers; }

int threads_of(nb::handle workers) {
  if (workers.is_none()) return workers_of_this_thread;
  const npy_intp asked = integer(workers, "workers");
  if (asked == 1) return 1;
  if (asked == 0) throw nb::value_error("workers must not be zero");
  const int cores = core_count();
  if (asked > 0) return static_cast<int>(std::min<npy_intp>(asked, cores));
  const int all = std::max(cores, static_cast<int>(std::thread::hardware_concurrency()));
  if (asked < -all)
    throw nb::value_error(("workers value out of range; got " + std::to_string(asked) +
                           ", must not be less than -" + std::to_string(all))
                              .c_str());
  return static_cast<int>(std::clamp<npy_intp>(asked + 1 + all, 1, cores));
}

Axes one_axis(nb::handle n, nb::handle axis, const Array& x) {
  check_ndim(x);
  Axes result;
  result.count = 1;
  result.axis[0] = checked_axis(integer(axis, "axis"), x.ndim());
  result.length[0] = n.is_none() ? -1 : checked_length(integer(n, "n"));
  return result;
}

Axes many_axes(nb::handle s, nb::handle axes, const Array& x) {
  check_ndim(x);
  const int ndim = x.ndim();
  Axes result;
  const int lengths = s.is_none() ? -1 : integers(s, "s", result.length);
  if (axes.is_none()) {
    if (lengths > ndim) throw nb::value_error("shape requires more axes than are present");
    result.count = lengths < 0 ? ndim : lengths;
    for (int i = 0; i < result.count; ++i) result.axis[i] = ndim - result.count + i;
  } else {
    std::array<npy_intp, max_ndim> given;
    result.count = integers(axes, "axes", given);
    if (lengths >= 0 && lengths != result.count)
      throw nb::value_error("when given, axes and shape arguments have to be of the same length");
    for (int i = 0; i < result.count; ++i) {
      if (given[i] < -ndim || given[i] >= ndim)
        throw nb::value_error("axes exceeds dimensionality of input");
      result.axis[i] = static_cast<int>(given[i] < 0 ? given[i] + ndim : given[i]);
      for (int j = 0; j < i; ++j)
        if (result.axis[j] == result.axis[i]) throw nb::value_error("all axes must be unique");
    }
  }
  for (int i = 0; i < result.count; ++i) {
    if (lengths < 0)
      result.length[i] = -1;
    else if (result.length[i] != -1)
      checked_length(result.length[i]);
  }
  return result;
}

}  // namespace weft::python
