// SPDX-License-Identifier: BSD-3-Clause
// A straight-line transform of one small length as a CUDA device function: the same graph as the
// kernels of the CPU, with one thread where those have a vector lane.
#pragma once

#include <string>

namespace weft::codelet {

/// `__device__ __forceinline__ void dft16(Complex (&x)[16])`: in place, forward, both sides in
/// natural order, over the types Real and Complex {re, im} and the functions fma(a, b, c) and
/// constant(c) of the text it is put into. `radix` is 2 to 64.
std::string emit_cuda(int radix);

}  // namespace weft::codelet
