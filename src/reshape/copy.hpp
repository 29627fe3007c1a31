// SPDX-License-Identifier: BSD-3-Clause
// Copies a box from one place in memory to another, with any strides on both sides: packing,
// unpacking, permuting axes.
#pragma once

#include "reshape/piece.hpp"

namespace weft::reshape {

/// `in` and `out` point at the element at `box.begin`; strides in elements of `element_bytes`,
/// which is 2, 4, 8 or 16. Input and output must not overlap.
void copy_box(const Box& box, const std::byte* in, const Strides& in_strides, std::byte* out,
              const Strides& out_strides, Index element_bytes);
/// The same for complex numbers (f32 or f64); each is conjugated.
void conjugate_box(const Box& box, const std::byte* in, const Strides& in_strides, std::byte* out,
                   const Strides& out_strides, Index element_bytes);

}  // namespace weft::reshape
