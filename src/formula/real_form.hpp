// SPDX-License-Identifier: BSD-3-Clause
// A complex formula as a real one on interleaved parts (re, im, re, im, ...). Real transforms use
// it for the complex columns in their middle.
#pragma once

#include "formula/formula.hpp"

namespace weft::formula {

bool is_real(const Formula& terminal);

/// Every entry a + bi of the terminal formula becomes the block [a -b; b a].
Formula real_form(const Formula& terminal);

}  // namespace weft::formula
