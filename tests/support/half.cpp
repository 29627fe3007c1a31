// SPDX-License-Identifier: BSD-3-Clause
#include "support/half.hpp"

#include <algorithm>
#include <cmath>

namespace weft::test {

double half_to_double(Half h) {
  const int exponent = (h.bits >> 10) & 31, fraction = h.bits & 1023;
  const double magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(1024 + fraction, exponent - 25);
  return (h.bits & 0x8000) != 0 ? -magnitude : magnitude;
}

Half double_to_half(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return {static_cast<std::uint16_t>(sign | 0x7e00)};
  value = std::fabs(value);
  if (value >= 65520) return {static_cast<std::uint16_t>(sign | 0x7c00)};
  int exponent = 0;
  std::frexp(value, &exponent);
  exponent = value == 0 ? -14 : std::max(exponent - 1, -14);
  const auto steps =
      static_cast<int>(std::nearbyint(std::ldexp(value, 10 - exponent)));  // ties to even
  return {static_cast<std::uint16_t>(sign + ((exponent + 14) << 10) + steps)};
}

}  // namespace weft::test
