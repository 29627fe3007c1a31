// SPDX-License-Identifier: BSD-3-Clause
// The element types and the small enumerations that all parts of weft use.
#pragma once

#include <complex>
#include <cstdint>

#include "weft/index.hpp"

namespace weft {

/// IEEE binary16, storage only: arithmetic on it is done in float.
struct Half {
  std::uint16_t bits;
  friend bool operator==(Half, Half) = default;
};

/// A complex number of two halves, laid out as std::complex would be.
struct ComplexHalf {
  Half real, imag;
  friend bool operator==(ComplexHalf, ComplexHalf) = default;
};

enum class Direction { forward, backward };

/// Which direction divides by what. N is the number of points of one transform; the forward
/// transform is sum x[j] exp(-2 pi i jk/n).
enum class Normalization {
  none,      ///< neither
  backward,  ///< backward by N (NumPy's default)
  forward,   ///< forward by N
  ortho,     ///< both by sqrt(N)
};

template <class T>
struct ScalarTraits;  // defined for the six element types below and nothing else

template <>
struct ScalarTraits<Half> {
  static constexpr Precision precision = Precision::f16;
  static constexpr bool is_complex = false;
};
template <>
struct ScalarTraits<float> {
  static constexpr Precision precision = Precision::f32;
  static constexpr bool is_complex = false;
};
template <>
struct ScalarTraits<double> {
  static constexpr Precision precision = Precision::f64;
  static constexpr bool is_complex = false;
};
template <>
struct ScalarTraits<ComplexHalf> {
  static constexpr Precision precision = Precision::f16;
  static constexpr bool is_complex = true;
};
template <>
struct ScalarTraits<std::complex<float>> {
  static constexpr Precision precision = Precision::f32;
  static constexpr bool is_complex = true;
};
template <>
struct ScalarTraits<std::complex<double>> {
  static constexpr Precision precision = Precision::f64;
  static constexpr bool is_complex = true;
};

template <class T>
concept Scalar = requires { ScalarTraits<T>::precision; };

}  // namespace weft
