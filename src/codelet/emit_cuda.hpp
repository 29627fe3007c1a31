// SPDX-License-Identifier: BSD-3-Clause
// A straight-line transform of one small length as a CUDA device function: the same graph as the
// kernels of the CPU, with one thread where those have a vector lane.
#pragma once

#include <string>
#include <vector>

namespace weft::codelet {

/// `__device__ __forceinline__ void dft16(Complex (&x)[16])`: in place, forward, both sides in
/// natural order, over the types Real and Complex {re, im} and the functions fma(a, b, c) and
/// constant(c) of the text it is put into. `radix` is 2 to 64.
std::string emit_cuda(int radix);

/// `__device__ __forceinline__ void twisted16(Complex (&x)[16], const Complex (&w)[8])`: the same
/// of x[m] times v^m for any v on the unit circle, `radix` a power of two. Halved again and again,
/// it is butterflies a +- f b alone, with f = cos (1 + i tan): six multiply-adds each, where a
/// factor and a plain butterfly are eight operations. `w` holds the pairs (cos, tan), see
/// twist_pairs().
std::string emit_cuda_twisted(int radix);

/// A factor of the transform above: v^power times exp(-2 pi i turns / radix).
struct TwistPair {
  int power = 0, turns = 0;
};
std::vector<TwistPair> twist_pairs(int radix);  ///< radix / 2 of them

}  // namespace weft::codelet
