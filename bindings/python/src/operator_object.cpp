// SPDX-License-Identifier: BSD-3-Clause
#include "operator_object.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "arguments.hpp"
#include "arrays.hpp"
#include "device.hpp"
#include "operator_on_device.hpp"
#include "planned.hpp"
#include "transform_text.hpp"
#include "weft/spectral_expression.hpp"

namespace weft::python {
namespace {

using Indices = std::vector<Index>;

struct OperatorObject {
  SpectralOperator op;
  Precision precision;
  bool is_complex;
  int inputs, outputs;
  std::string function;
  OperatorParts parts;
  std::unique_ptr<OperatorsOnDevices> on_devices = std::make_unique<OperatorsOnDevices>();

  int type() const { return numpy_type(precision, is_complex); }
};

std::string shape_text(const Indices& shape) {
  return nb::cast<std::string>(nb::str(nb::tuple(nb::cast(shape))));
}

/// Contiguous, of the operator's type and shape; copied where it is not.
Array field_of(nb::handle x, const OperatorObject& self) {
  const Input input = as_input(x);
  if (input.source != Source::here)
    throw nb::type_error("operators run on arrays of float32, float64, complex64 or complex128");
  const Indices shape = self.op.input_shape();
  bool fits = input.array.ndim() == static_cast<int>(shape.size());
  for (int d = 0; fits && d < input.array.ndim(); ++d)
    fits = input.array.extent(d) == shape[static_cast<std::size_t>(d)];
  if (!fits)
    throw nb::value_error(
        ("a field has another shape than the operator, which is for " + shape_text(shape)).c_str());
  if (is_complex(input.array) && !self.is_complex)
    throw nb::type_error("the operator is for real fields; make it with kind=\"c2c\"");
  if (input.array.type() == self.type() && PyArray_IS_C_CONTIGUOUS(input.array.get()))
    return input.array;
  return cast(input.array, self.type());
}

Array result_of(nb::handle out, const OperatorObject& self) {
  const Indices extents = self.op.output_shape();
  std::vector<npy_intp> shape(extents.begin(), extents.end());
  const int ndim = static_cast<int>(shape.size());
  if (out.is_none()) return Array::steal(PyArray_EMPTY(ndim, shape.data(), self.type(), 0));
  const Array array = as_output(out, ndim, shape.data());
  if (array.type() != self.type() || !PyArray_IS_C_CONTIGUOUS(array.get()) ||
      !is_usable(array, true))
    throw nb::value_error("out must be a contiguous array of the operator's dtype");
  return array;
}

template <class T>
void run(const OperatorObject& self, const std::vector<Array>& in, const std::vector<Array>& out) {
  std::vector<const T*> from;
  std::vector<T*> to;
  for (const Array& array : in) from.push_back(static_cast<const T*>(array.data()));
  for (const Array& array : out) to.push_back(static_cast<T*>(array.data()));
  const nb::gil_scoped_release released;
  Workspace workspace = self.op.make_workspace();
  self.op.execute(std::span<const T* const>(from), std::span<T* const>(to), workspace);
}

/// The results that the caller gave room for, as a list; one `None` each where none were given.
std::vector<nb::object> given_results(nb::handle out, int outputs) {
  std::vector<nb::object> given;
  if (out.is_none() || is_array(out))
    given.push_back(nb::borrow(out));
  else
    for (nb::handle each : nb::iter(out)) given.push_back(nb::borrow(each));
  if (out.is_none()) given.resize(static_cast<std::size_t>(outputs), nb::none());
  if (static_cast<int>(given.size()) != outputs)
    throw nb::value_error(("the operator has " + std::to_string(outputs) + " outputs; out has " +
                           std::to_string(given.size()))
                              .c_str());
  return given;
}

/// In device memory: as (address, shape, strides, type).
Array device_field(nb::handle memory, const OperatorObject& self, const Indices& shape) {
  Array array = header_of(nb::cast<nb::tuple>(memory));
  bool fits = array.ndim() == static_cast<int>(shape.size());
  for (int d = 0; fits && d < array.ndim(); ++d)
    fits = array.extent(d) == shape[static_cast<std::size_t>(d)];
  if (!fits || array.type() != self.type() || !PyArray_IS_C_CONTIGUOUS(array.get()))
    throw nb::value_error(("on a GPU fields must be contiguous arrays of the operator's dtype and "
                           "shape, which is " +
                           shape_text(shape))
                              .c_str());
  return array;
}

void run_on_device(const OperatorObject& self, const nb::tuple& inputs, const nb::tuple& outputs,
                   int device, nb::handle stream_number) {
  std::vector<Array> in, out;
  for (nb::handle each : inputs) in.push_back(device_field(each, self, self.op.input_shape()));
  for (nb::handle each : outputs) out.push_back(device_field(each, self, self.op.output_shape()));
  if (static_cast<int>(in.size()) != self.inputs || static_cast<int>(out.size()) != self.outputs)
    throw nb::value_error(("the operator has " + std::to_string(self.inputs) + " inputs and " +
                           std::to_string(self.outputs) + " outputs")
                              .c_str());
  if (PyArray_SIZE(out.front().get()) == 0) return;
  void* const stream = PyLong_AsVoidPtr(stream_number.ptr());
  const auto run_as = [&]<class T>(T*) {
    std::vector<const T*> from;
    std::vector<T*> to;
    for (const Array& array : in) from.push_back(static_cast<const T*>(array.data()));
    for (const Array& array : out) to.push_back(static_cast<T*>(array.data()));
    const nb::gil_scoped_release released;
    self.on_devices->on(device, self.parts).run(from, to, stream);
  };
  const bool is_double = self.precision == Precision::f64;
  if (self.is_complex)
    is_double ? run_as(static_cast<std::complex<double>*>(nullptr))
              : run_as(static_cast<std::complex<float>*>(nullptr));
  else
    is_double ? run_as(static_cast<double*>(nullptr)) : run_as(static_cast<float*>(nullptr));
}

nb::object execute(const OperatorObject& self, const nb::args& fields, nb::handle out) {
  if (static_cast<int>(fields.size()) != self.inputs)
    throw nb::value_error(("the operator has " + std::to_string(self.inputs) + " inputs, " +
                           std::to_string(fields.size()) + " were given")
                              .c_str());
  if (fields.size() > 0 && as_input(fields[0]).source == Source::device)
    return nb::module_::import_("weft._device").attr("apply_operator")(nb::find(self), fields, out);
  std::vector<Array> in, results;
  for (nb::handle field : fields) in.push_back(field_of(field, self));
  for (const nb::object& each : given_results(out, self.outputs))
    results.push_back(result_of(each, self));
  if (PyArray_SIZE(results.front().get()) > 0) {
    const bool is_double = self.precision == Precision::f64;
    if (self.is_complex)
      is_double ? run<std::complex<double>>(self, in, results)
                : run<std::complex<float>>(self, in, results);
    else
      is_double ? run<double>(self, in, results) : run<float>(self, in, results);
  }
  if (self.outputs == 1) return results.front().object();
  nb::list list;
  for (const Array& array : results) list.append(array.object());
  return nb::tuple(list);
}

}  // namespace

void bind_operator(nb::module_& module) {
  nb::class_<OperatorObject> type(
      module, "SpectralOperator",
      "Forward transform, a function of the wave vector at every mode, backward transform, as one\n"
      "plan: ``op(u)``, or ``op(u, v, out=(x, y))`` where the function has several fields.\n\n"
      "``function`` is text, one expression per output, separated by semicolons: fields ``u0``,\n"
      "``u1``, ...; wave numbers ``kx``, ``ky``, ``kz``, ``kw``, with ``dx``, ``dy``, ... for\n"
      "derivatives along the axes and ``k2`` for the sum of squares; numbers, ``pi``, ``i``;\n"
      "``+ - * / ^``, comparisons, ``where(c, a, b)``, ``sqrt exp sin cos abs real imag conj``.\n"
      "``lengths`` are the periods of the fields, 2 pi by default. Fields may be arrays on a GPU\n"
      "(PyTorch, CuPy, JAX, DLPack): the results are, too.\n\n"
      ">>> x = 2 * np.pi * np.arange(8) / 8\n"
      ">>> derivative = weft.SpectralOperator((8,), \"dx*u0\")\n"
      ">>> bool(np.allclose(derivative(np.sin(x)), np.cos(x)))\n"
      "True\n");
  type.def(
      "__init__",
      [](OperatorObject* self, Indices shape, const std::string& function, const std::string& kind,
         nb::handle dtype, std::optional<std::vector<int>> axes, std::vector<double> lengths,
         Indices input_extents, Indices output_extents, nb::handle workers,
         const std::string& effort, double time_limit) {
        Transform transform =
            transform_of(std::move(shape), {.kind = kind, .axes = std::move(axes)});
        transform.precision = precision_of(dtype);
        transform.input_extents = std::move(input_extents);
        transform.output_extents = std::move(output_extents);
        SpectralOptions options{.effort = effort_named(effort), .time_limit_s = time_limit};
        options.executor = executor_for(threads_of(workers));
        options.lengths = std::move(lengths);
        const ModeFunction modes = spectral::expression(function);
        const nb::gil_scoped_release released;
        new (self) OperatorObject{SpectralOperator(transform, modes, options),
                                  transform.precision,
                                  transform.kind == Kind::c2c,
                                  modes.inputs(),
                                  modes.outputs(),
                                  function,
                                  {transform, modes, options.effort, time_limit, options.lengths}};
      },
      nb::arg("shape"), nb::arg("function"), nb::arg("kind") = "r2c", nb::arg("dtype") = "float64",
      nb::kw_only(), nb::arg("axes") = nb::none(), nb::arg("lengths") = std::vector<double>(),
      nb::arg("input_extents") = Indices(), nb::arg("output_extents") = Indices(),
      nb::arg("workers") = nb::none(), nb::arg("effort") = "estimate",
      nb::arg("time_limit") = 10.0);
  type.def("__call__", &execute, nb::arg("fields"), nb::arg("out") = nb::none());
  type.def("_run_on_device", &run_on_device);
  type.def_prop_ro("dtype", [](const OperatorObject& o) {
    return nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(o.type())));
  });
  type.def_prop_ro(
      "explanation", [](const OperatorObject& o) { return o.op.explain(); },
      "Passes over memory and the recipes of the steps.");
  type.def_prop_ro(
      "input_shape",
      [](const OperatorObject& o) { return nb::tuple(nb::cast(o.op.input_shape())); },
      "Of each field that goes in.");
  type.def_prop_ro(
      "output_shape",
      [](const OperatorObject& o) { return nb::tuple(nb::cast(o.op.output_shape())); },
      "Of each field that comes out.");
  type.def_prop_ro("inputs", [](const OperatorObject& o) { return o.inputs; });
  type.def_prop_ro("outputs", [](const OperatorObject& o) { return o.outputs; });
  type.def_prop_ro("function", [](const OperatorObject& o) { return o.function; });
  type.def("__repr__", [](const OperatorObject& o) {
    return "<weft.SpectralOperator " + shape_text(o.op.input_shape()) + " " + o.function + ">";
  });
}

}  // namespace weft::python
