// SPDX-License-Identifier: BSD-3-Clause
// One call of a function of weft.fft, from its arguments to its result.
#pragma once

#include "planned.hpp"

namespace weft::python {

/// A function of scipy.fft. hfft is the c2r that counts as forward, ihfft the r2c that counts as
/// backward.
struct Function {
  const char* name;
  Kind kind;
  Direction direction;
  bool has_many_axes;
  bool is_sine = false;  ///< of r2r: dst, not dct
};
extern const std::array<Function, 20> functions;
const Function& function_named(const std::string& name);

struct Arguments {
  nb::handle x, lengths, axes, norm, overwrite_x, workers, plan, out;
  nb::handle type = nb::none(), orthogonalize = nb::none();  // dct and dst
};

nb::object call(const Function& function, const Arguments& arguments);

/// The plan that call() would use, made by the effort that is asked for.
std::shared_ptr<Planned> plan_for(const Function& function, const Arguments& arguments,
                                  Effort effort);

/// For arrays on a GPU, whose memory is not looked at: shape and NumPy's type of the result, and
/// the request of a call that stores it in `output`. The input has the type that the transform
/// reads.
struct DeviceShape {
  int type;
  std::vector<npy_intp> shape;
};
DeviceShape device_shape(const Function& function, const Arguments& arguments, const Array& input);
Request device_request(const Function& function, const Arguments& arguments, const Array& input,
                       const Array& output);

}  // namespace weft::python
