// SPDX-License-Identifier: BSD-3-Clause
// Names of the enumerators of a transform, and the sizes of its elements.
#pragma once

#include "weft/plan.hpp"

namespace weft {

const char* to_string(Kind kind);            ///< "c2c", ...
const char* to_string(Precision precision);  ///< "f32", ...
const char* to_string(Direction direction);  ///< "forward", "backward"
const char* to_string(R2r kind);             ///< "dct2", ...

/// Bytes of a real.
constexpr Index real_bytes(Precision precision) {
  return precision == Precision::f64 ? 8 : precision == Precision::f32 ? 4 : 2;
}
/// Reals in an element of the input, and of the output.
constexpr Index in_width(Kind kind) { return kind == Kind::r2c || kind == Kind::r2r ? 1 : 2; }
constexpr Index out_width(Kind kind) { return kind == Kind::c2r || kind == Kind::r2r ? 1 : 2; }
/// Bytes of an element of the input, and of the output.
constexpr Index in_element_bytes(Kind kind, Precision precision) {
  return in_width(kind) * real_bytes(precision);
}
constexpr Index out_element_bytes(Kind kind, Precision precision) {
  return out_width(kind) * real_bytes(precision);
}
/// Numbers that are stored as f16 are computed in f32.
constexpr Precision arithmetic_precision(Precision stored) {
  return stored == Precision::f64 ? Precision::f64 : Precision::f32;
}

}  // namespace weft
