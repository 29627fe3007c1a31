// SPDX-License-Identifier: BSD-3-Clause
// Numbers of 16 bits one at a time: for tables, tests and tools.
#pragma once

#include <cstdint>

namespace weft {

double from_half(std::uint16_t bits);  ///< finite
std::uint16_t to_half(double x);       ///< the nearest; |x| below 65520

}  // namespace weft
