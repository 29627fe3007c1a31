// SPDX-License-Identifier: BSD-3-Clause
#include "base/half.hpp"

#include <algorithm>
#include <cmath>

namespace weft {

double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

std::uint16_t to_half(double x) {
  int exponent = -13;  // of subnormal numbers and zero
  if (x != 0) std::frexp(std::fabs(x), &exponent);
  exponent = std::max(exponent, -13);
  const int units = static_cast<int>(std::nearbyint(std::ldexp(std::fabs(x), 11 - exponent)));
  return static_cast<std::uint16_t>((std::signbit(x) ? 0x8000 : 0) + ((exponent + 13) << 10) +
                                    units);
}

}  // namespace weft
