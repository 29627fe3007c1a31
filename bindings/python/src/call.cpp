// SPDX-License-Identifier: BSD-3-Clause
#include "call.hpp"

#include <string>

#include "arrays.hpp"
#include "plan_object.hpp"

namespace weft::python {

const std::array<Function, 20> functions = {{
    {"fft", Kind::c2c, Direction::forward, false},
    {"ifft", Kind::c2c, Direction::backward, false},
    {"fftn", Kind::c2c, Direction::forward, true},
    {"ifftn", Kind::c2c, Direction::backward, true},
    {"rfft", Kind::r2c, Direction::forward, false},
    {"irfft", Kind::c2r, Direction::backward, false},
    {"rfftn", Kind::r2c, Direction::forward, true},
    {"irfftn", Kind::c2r, Direction::backward, true},
    {"hfft", Kind::c2r, Direction::forward, false},
    {"ihfft", Kind::r2c, Direction::backward, false},
    {"hfftn", Kind::c2r, Direction::forward, true},
    {"ihfftn", Kind::r2c, Direction::backward, true},
    {"dct", Kind::r2r, Direction::forward, false},
    {"idct", Kind::r2r, Direction::backward, false},
    {"dctn", Kind::r2r, Direction::forward, true},
    {"idctn", Kind::r2r, Direction::backward, true},
    {"dst", Kind::r2r, Direction::forward, false, true},
    {"idst", Kind::r2r, Direction::backward, false, true},
    {"dstn", Kind::r2r, Direction::forward, true, true},
    {"idstn", Kind::r2r, Direction::backward, true, true},
}};

const Function& function_named(const std::string& name) {
  for (const Function& function : functions)
    if (name == function.name) return function;
  throw nb::value_error(("weft.fft has no function \"" + name + "\" that can be planned").c_str());
}

namespace {

/// What is to be done around a plan: a call whose kind of transform weft has in the other direction
/// only takes the conjugate of its input (hfft) or output (ihfft, ifft of reals).
struct Call {
  Input input;
  Array output;  // where the plan writes
  Array result;  // where the caller wants it
  bool conjugates_output = false;
  Request request;
};

R2r r2r_kind(const Function& function, nb::handle type_argument) {
  const npy_intp type = PyNumber_AsSsize_t(type_argument.ptr(), PyExc_OverflowError);
  if (type == -1 && PyErr_Occurred()) nb::raise_python_error();
  if (type < 1 || type > 4)
    throw nb::value_error(
        ("type must be 1, 2, 3 or 4; " + std::to_string(type) + " was given").c_str());
  const int there[] = {0, 1, 2, 3}, back[] = {0, 2, 1, 3};
  const bool is_forward = function.direction == Direction::forward;
  return static_cast<R2r>((is_forward ? there : back)[type - 1] + (function.is_sine ? 4 : 0));
}

Array conjugate(const Array& array) {
  return Array::steal(PyArray_Conjugate(array.get(), nullptr));
}

/// Which transform of weft it is, and the input as that takes it.
void set_kind(Call& call, const Function& function, const Arguments& arguments, int axis_count) {
  Request& request = call.request;
  Array& input = call.input.array;
  const bool is_forward = function.direction == Direction::forward;
  request.precision = is_single(input) ? Precision::f32 : Precision::f64;
  request.kind = function.kind;
  request.direction = function.direction;
  request.scale = scale_of(arguments.norm, is_forward);
  const int complex_type = numpy_type(request.precision, true);
  switch (function.kind) {
    case Kind::c2c:
      if (is_complex(input)) return;
      if (axis_count == 0) {
        input = cast(input, complex_type);
        return;
      }
      request.kind = Kind::r2c;
      request.spectrum = Spectrum::full;
      request.direction = Direction::forward;
      call.conjugates_output = !is_forward;
      return;
    case Kind::r2c:
      if (is_complex(input)) throw nb::type_error("x must be a real sequence");
      request.direction = Direction::forward;
      call.conjugates_output = !is_forward;
      break;
    case Kind::c2r:
      if (!is_complex(input))
        input = cast(input, complex_type);
      else if (is_forward)
        input = conjugate(input);
      request.direction = Direction::backward;
      break;
    case Kind::r2r:
      request.r2r = r2r_kind(function, arguments.type);
      request.orthogonalize = arguments.orthogonalize.is_none() ? is_ortho(arguments.norm)
                                                                : is_true(arguments.orthogonalize);
      return;
  }
  if (axis_count == 0) throw nb::value_error("at least 1 axis must be transformed");
}

/// Of several axes, and so short that a copy costs less than a plan for other strides does: the
/// result then does not depend on the strides, not even in its last bit.
bool is_small(const Request& request) {
  return request.axis_count > 1 && request.point_count() <= 1024;
}

bool has_shape(const Array& array, const Request& request) {
  for (int d = 0; d < request.ndim; ++d)
    if (array.extent(d) != request.output_extents[d]) return false;
  return true;
}

/// Whether the input's memory may take the output.
bool may_overwrite(const Call& call, const Arguments& arguments) {
  const Array& input = call.input.array;
  const Kind kind = call.request.kind;
  if (kind != Kind::c2c && kind != Kind::r2r) return false;
  const bool is_copy = input.object().ptr() != arguments.x.ptr() && !call.input.package.is_valid();
  const bool is_ours = is_copy && PyArray_CHKFLAGS(input.get(), NPY_ARRAY_OWNDATA) &&
                       Py_REFCNT(input.object().ptr()) == 1;
  if (!is_ours && !is_true(arguments.overwrite_x)) return false;
  return is_usable(input, true) && PyArray_ISONESEGMENT(input.get()) &&
         has_shape(input, call.request);
}

void set_output(Call& call, const Arguments& arguments, bool is_complex) {
  Request& request = call.request;
  const Array& input = call.input.array;
  const int type = numpy_type(request.precision, is_complex);
  npy_intp* shape = request.output_extents.data();
  if (!arguments.out.is_none()) {
    call.result = as_output(arguments.out, request.ndim, shape);
    const Overlap overlap = overlap_of(input, call.result);
    const bool keeps_order = !is_small(request) || PyArray_IS_C_CONTIGUOUS(call.result.get());
    if (overlap != Overlap::partly && call.result.type() == type && keeps_order &&
        is_usable(call.result, true)) {
      call.output = call.result;
      request.in_place = overlap == Overlap::wholly;
      return;
    }
  } else if (may_overwrite(call, arguments)) {
    call.output = call.result = input;
    request.in_place = true;
    return;
  }
  const bool is_fortran =
      PyArray_IS_F_CONTIGUOUS(input.get()) && !PyArray_IS_C_CONTIGUOUS(input.get());
  call.output = Array::steal(PyArray_EMPTY(request.ndim, shape, type, is_fortran));
  if (!call.result) call.result = call.output;
}

/// Of r2r of complex numbers: a last axis with the real and the imaginary part, a batch.
void add_axis_of_parts(Request& request) {
  const int d = request.ndim++;
  for (int e = 0; e < d; ++e) {
    request.input_strides[e] *= 2;
    request.output_strides[e] *= 2;
  }
  request.shape[d] = request.input_extents[d] = request.output_extents[d] = 2;
  request.input_strides[d] = request.output_strides[d] = 1;
}

void check_lengths(const Request& request) {
  if (request.kind != Kind::r2r || request.r2r != R2r::dct1) return;
  for (int i = 0; i < request.axis_count; ++i)
    if (request.shape[request.axes[i]] < 2)
      throw nb::value_error("DCT-I is not defined for size < 2");
}

/// All but where the output lies.
void describe(Call& call, const Function& function, const Arguments& arguments) {
  const Axes axes = function.has_many_axes
                        ? many_axes(arguments.lengths, arguments.axes, call.input.array)
                        : one_axis(arguments.lengths, arguments.axes, call.input.array);
  set_kind(call, function, arguments, axes.count);
  call.request.threads = threads_of(arguments.workers);
  set_shapes(call.request, axes, call.input.array);
  check_lengths(call.request);
}

bool has_parts(const Call& call, const Function& function) {
  return function.kind == Kind::r2r && is_complex(call.input.array);
}

Call prepare(const Function& function, const Arguments& arguments, Input input) {
  Call call;
  call.input = std::move(input);
  describe(call, function, arguments);
  Request& request = call.request;
  if (is_small(request) && !PyArray_IS_C_CONTIGUOUS(call.input.array.get()))
    call.input.array = cast(call.input.array, call.input.array.type());
  set_output(call, arguments, has_parts(call, function) || request.has_complex_output());
  set_strides(request.input_strides, call.input.array);
  set_strides(request.output_strides, call.output);
  if (has_parts(call, function)) add_axis_of_parts(request);
  return call;
}

nb::object elsewhere(const Function& function, const Arguments& a, const char* module) {
  return nb::module_::import_(module).attr("call")(function.name, a.x, a.lengths, a.axes, a.norm,
                                                   a.type, a.orthogonalize, a.plan, a.out);
}

}  // namespace

nb::object call(const Function& function, const Arguments& arguments) {
  Input input = as_input(arguments.x);
  if (input.source == Source::long_double)
    return elsewhere(function, arguments, "weft._longdouble");
  if (input.source == Source::device) return elsewhere(function, arguments, "weft._device");
  Call call = prepare(function, arguments, std::move(input));
  if (PyArray_SIZE(call.output.get()) > 0) {
    const std::shared_ptr<Planned> plan =
        arguments.plan.is_none() ? planned(call.request) : given_plan(arguments.plan, call.request);
    plan->run(call.input.array.data(), call.output.data());
  }
  if (call.conjugates_output) Array::steal(PyArray_Conjugate(call.output.get(), call.output.get()));
  if (call.result.get() != call.output.get()) assign(call.result, call.output);
  if (call.input.package.is_valid() && arguments.out.is_none())
    return call.input.package.attr("from_numpy")(call.result.object());
  return call.result.object();
}

std::shared_ptr<Planned> plan_for(const Function& function, const Arguments& arguments,
                                  Effort effort) {
  Input input = as_input(arguments.x);
  if (input.source != Source::here)
    throw nb::type_error("plans are for arrays of float32, float64, complex64 or complex128");
  return plan_anew(prepare(function, arguments, std::move(input)).request, effort);
}

DeviceShape device_shape(const Function& function, const Arguments& arguments, const Array& input) {
  Call call;
  call.input.array = input;
  describe(call, function, arguments);
  if (call.request.is_padded)
    throw nb::value_error("x has fewer points than n or s asks for: on a GPU pad it first");
  const bool is_complex = has_parts(call, function) || call.request.has_complex_output();
  const std::array<npy_intp, max_ndim>& extents = call.request.output_extents;
  return {numpy_type(call.request.precision, is_complex),
          {extents.begin(), extents.begin() + call.request.ndim}};
}

Request device_request(const Function& function, const Arguments& arguments, const Array& input,
                       const Array& output) {
  Call call;
  call.input.array = input;
  describe(call, function, arguments);
  set_strides(call.request.input_strides, input);
  set_strides(call.request.output_strides, output);
  if (has_parts(call, function)) add_axis_of_parts(call.request);
  return call.request;
}

}  // namespace weft::python
