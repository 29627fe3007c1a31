// SPDX-License-Identifier: BSD-3-Clause
// Test data for the GPU tests: random numbers, converted to a precision and back.
#pragma once

#include <complex>
#include <vector>

#include "weft/plan.hpp"

namespace weft::tool {

/// Uniform in +-1/16, the same for every call.
std::vector<double> random_reals(std::size_t count);

std::vector<char> narrowed(const std::vector<double>& values, Precision precision);
std::vector<double> widened(const std::vector<char>& bytes, Precision precision);

/// Relative L2 error.
double error_between(const std::vector<double>& got, const std::vector<double>& expected);
double allowed_error(Precision precision);

/// The transform in f64 on the host.
void transform_on_host(const Plan& plan, const std::vector<double>& in, std::vector<double>& out);

/// Calls `call` with null pointers to the element types of a transform's input and output.
template <class Call>
void with_types(const Transform& t, const Call& call) {
  const auto as = [&]<class Real, class Complex>(Real* real, Complex* complex) {
    if (t.kind == Kind::r2c) return call(real, complex);
    if (t.kind == Kind::c2r) return call(complex, real);
    if (t.kind == Kind::r2r) return call(real, real);
    call(complex, complex);
  };
  if (t.precision == Precision::f16)
    return as(static_cast<Half*>(nullptr), static_cast<ComplexHalf*>(nullptr));
  if (t.precision == Precision::f32)
    return as(static_cast<float*>(nullptr), static_cast<std::complex<float>*>(nullptr));
  as(static_cast<double*>(nullptr), static_cast<std::complex<double>*>(nullptr));
}

}  // namespace weft::tool
