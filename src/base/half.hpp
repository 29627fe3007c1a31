// SPDX-License-Identifier: BSD-3-Clause
// binary16 to f32 and back by integer arithmetic. In an anonymous namespace: files that are
// compiled for different instruction sets include it and must not share inline functions.
#pragma once

#include <cstdint>
#include <cstring>

#include "weft/types.hpp"

namespace weft {
namespace {

struct HalfNumber {
  static float widen(Half h) {
    // Exact: rebias the exponent; subnormals by a multiplication, infinities and NaN by the top
    // one.
    const std::uint32_t sign = static_cast<std::uint32_t>(h.bits & 0x8000u) << 16;
    const std::uint32_t magnitude = static_cast<std::uint32_t>(h.bits & 0x7fffu) << 13;
    float value;
    if (magnitude >= (0x7c00u << 13)) {
      const std::uint32_t bits = sign | magnitude | 0x7f800000u;
      std::memcpy(&value, &bits, 4);
      return value;
    }
    std::memcpy(&value, &magnitude, 4);
    value *= 0x1p112f;
    std::uint32_t bits;
    std::memcpy(&bits, &value, 4);
    bits |= sign;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  /// Round to nearest, ties to even; overflow to infinity; NaN stays NaN.
  static Half narrow(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, 4);
    const std::uint32_t sign = (bits >> 16) & 0x8000u;
    bits &= 0x7fffffffu;
    if (bits > 0x7f800000u) return {static_cast<std::uint16_t>(sign | 0x7e00u)};
    if (bits >= 0x477ff000u) return {static_cast<std::uint16_t>(sign | 0x7c00u)};
    if (bits < 0x38800000u) {  // below the smallest normal half: adding 0.5 aligns the ulp at 2^-24
      float magnitude;
      std::memcpy(&magnitude, &bits, 4);
      magnitude += 0.5f;
      std::uint32_t shifted;
      std::memcpy(&shifted, &magnitude, 4);
      return {static_cast<std::uint16_t>(sign | (shifted - 0x3f000000u))};
    }
    const std::uint32_t odd = (bits >> 13) & 1u;
    return {static_cast<std::uint16_t>(sign | ((bits - 0x38000000u + 0xfffu + odd) >> 13))};
  }
};

}  // namespace
}  // namespace weft
