// SPDX-License-Identifier: BSD-3-Clause
// What operators on the host and on GPUs are asked for alike, for C.
#pragma once

#include <vector>

#include "c/support.hpp"
#include "weft/spectral.hpp"

namespace weft::c {

struct OperatorRequest {
  Transform transform;
  ModeFunction function;
  std::vector<double> lengths;
};
/// Null options: the defaults.
OperatorRequest operator_request(const weft_transform* transform, const char* function,
                                 const weft_operator_options* options);

/// Calls body(null pointer to the elements of the operator's arrays).
template <class Body>
void with_field_type(Precision precision, bool is_complex, const Body& body) {
  const bool is_double = precision == Precision::f64;
  if (is_complex)
    return is_double ? body(static_cast<std::complex<double>*>(nullptr))
                     : body(static_cast<std::complex<float>*>(nullptr));
  return is_double ? body(static_cast<double*>(nullptr)) : body(static_cast<float*>(nullptr));
}

}  // namespace weft::c
