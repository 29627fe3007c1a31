// SPDX-License-Identifier: BSD-3-Clause
// Half precision by plain arithmetic: using weft's own conversion would hide its errors.
#pragma once

#include "weft/types.hpp"

namespace weft::test {

double half_to_double(Half h);
Half double_to_half(double value);  ///< to nearest, ties to even; overflow becomes infinity

}  // namespace weft::test
