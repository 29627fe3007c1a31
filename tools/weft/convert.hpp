// SPDX-License-Identifier: BSD-3-Clause
// Converts elements of NumPy files to elements of a plan and back: byte order, precision, and real
// to complex.
#pragma once

#include <bit>
#include <cstddef>

#include "npy.hpp"

namespace weft::tool {

float float_of(Half half);
Half half_of(float value);  ///< to nearest, ties to even; overflow becomes infinity

/// Converts `count` elements. `from` needs no alignment and may be of either byte order; `to` is
/// native. A real source makes complex elements with imaginary part zero. A complex source needs a
/// complex target.
void convert_elements(const std::byte* from, NpyType from_type, std::endian from_order,
                      std::byte* to, NpyType to_type, Index count);

}  // namespace weft::tool
