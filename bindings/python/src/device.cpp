// SPDX-License-Identifier: BSD-3-Clause
#include "device.hpp"

#include <complex>

#include "call.hpp"
#include "plan_cache.hpp"
#include "stream_workspaces.hpp"

namespace weft::python {
namespace {

/// The arguments after the first of weft._device's two calls: lengths, axes, norm, type and
/// orthogonalize.
Arguments arguments_of(const nb::tuple& a) {
  Arguments result{.x = nb::none(),
                   .lengths = a[0],
                   .axes = a[1],
                   .norm = a[2],
                   .overwrite_x = nb::handle(Py_False),
                   .workers = nb::none(),
                   .plan = nb::none(),
                   .out = nb::none()};
  result.type = a[3];
  result.orthogonalize = a[4];
  return result;
}

}  // namespace

Array header_of(const nb::tuple& memory) {
  PyArray_Descr* descriptor = nullptr;
  if (PyArray_DescrConverter(nb::object(memory[3]).ptr(), &descriptor) != NPY_SUCCEED)
    nb::raise_python_error();
  const int type = descriptor->type_num;
  const bool is_native = PyArray_ISNBO(descriptor->byteorder);
  Py_DECREF(descriptor);
  if (!is_native ||
      (type != NPY_FLOAT && type != NPY_DOUBLE && type != NPY_CFLOAT && type != NPY_CDOUBLE))
    throw nb::type_error("on a GPU arrays must be float32, float64, complex64 or complex128");
  std::vector<npy_intp> shape, strides;
  for (nb::handle n : nb::tuple(memory[1])) shape.push_back(nb::cast<npy_intp>(n));
  if (!nb::object(memory[2]).is_none())
    for (nb::handle n : nb::tuple(memory[2])) strides.push_back(nb::cast<npy_intp>(n));
  if (!strides.empty() && strides.size() != shape.size())
    throw nb::value_error("an array on a GPU has not as many strides as dimensions");
  void* address = PyLong_AsVoidPtr(nb::object(memory[0]).ptr());
  if (address == nullptr && PyErr_Occurred()) nb::raise_python_error();
  // An address that is not null keeps NumPy from making memory of its own for an empty array.
  static char nothing;
  return Array::steal(PyArray_New(&PyArray_Type, static_cast<int>(shape.size()), shape.data(), type,
                                  strides.empty() ? nullptr : strides.data(),
                                  address != nullptr ? address : &nothing, 0, NPY_ARRAY_WRITEABLE,
                                  nullptr));
}

namespace {

/// A plan on a GPU with a workspace per stream.
class DevicePlanned {
 public:
  explicit DevicePlanned(const Request& request)
      : plan_(request.transform(), request.input_layout(), request.output_layout(),
              {.device = request.device}) {}

  void run(const void* in, void* out, void* stream) {
    workspaces_.with(plan_, stream, [&](cuda::Workspace& workspace) {
      if (plan_.transform().precision == Precision::f32)
        run_as<float>(in, out, workspace, stream);
      else
        run_as<double>(in, out, workspace, stream);
    });
  }

 private:
  template <class Real>
  void run_as(const void* input, void* output, cuda::Workspace& workspace, void* stream) {
    using Complex = std::complex<Real>;
    const auto go = [&](const auto* in, auto* out) {
      plan_.execute(in, out, workspace, cuda::Stream(stream));
    };
    switch (plan_.transform().kind) {
      case Kind::c2c: return go(static_cast<const Complex*>(input), static_cast<Complex*>(output));
      case Kind::r2c: return go(static_cast<const Real*>(input), static_cast<Complex*>(output));
      case Kind::c2r: return go(static_cast<const Complex*>(input), static_cast<Real*>(output));
      case Kind::r2r: return go(static_cast<const Real*>(input), static_cast<Real*>(output));
    }
  }

  cuda::Plan plan_;
  StreamWorkspaces workspaces_;
};

/// Never destroyed: the driver may be gone before the module is.
PlanCache<DevicePlanned>& device_cache() {
  static auto* const instance = new PlanCache<DevicePlanned>;
  return *instance;
}

void run_on_device(const Request& request, const void* in, void* out, void* stream) {
  const Key key(request);
  std::shared_ptr<DevicePlanned> plan = device_cache().find(key);
  const nb::gil_scoped_release released;
  if (!plan) {
    plan = std::make_shared<DevicePlanned>(request);
    device_cache().add(key, plan);
  }
  plan->run(in, out, stream);
}

}  // namespace

void bind_device(nb::module_& module) {
  module.def("device_shape",
             [](const std::string& function, const nb::tuple& memory, const nb::tuple& arguments) {
               const DeviceShape result = device_shape(function_named(function),
                                                       arguments_of(arguments), header_of(memory));
               nb::list shape;
               for (npy_intp n : result.shape) shape.append(n);
               const nb::object type =
                   nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(result.type)));
               return nb::make_tuple(nb::tuple(shape), type.attr("name"));
             });
  module.def("device_run",
             [](const std::string& function, const nb::tuple& input, const nb::tuple& output,
                const nb::tuple& arguments, int device, nb::handle stream) {
               const Function& called = function_named(function);
               const Array in = header_of(input), out = header_of(output);
               const DeviceShape shape = device_shape(called, arguments_of(arguments), in);
               if (out.type() != shape.type)
                 throw nb::type_error("out has another dtype than the result");
               as_output(out.object(), static_cast<int>(shape.shape.size()), shape.shape.data());
               if (PyArray_SIZE(out.get()) == 0) return;
               const Overlap overlap = overlap_of(in, out);
               if (overlap == Overlap::partly)
                 throw nb::value_error("on a GPU out must be x itself, or share no memory with it");
               Request request = device_request(called, arguments_of(arguments), in, out);
               request.device = device;
               run_on_device(request, in.data(), out.data(), PyLong_AsVoidPtr(stream.ptr()));
             });
  module.def("clear_device_cache", [] { device_cache().clear(); });
  module.def("cuda_is_available", [] { return cuda::is_available(); });
}

}  // namespace weft::python
