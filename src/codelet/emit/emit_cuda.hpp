// SPDX-License-Identifier: BSD-3-Clause
// A DFT of one small length as a CUDA device function: the same operations as in the CPU kernels,
// with one thread instead of one vector lane.
#pragma once

#include <string>
#include <vector>

namespace weft::codelet {

/// `__device__ __forceinline__ void dft16(Complex (&x)[16])`: in place, forward, input and output
/// in natural order. The surrounding text must define the types Real and Complex {re, im} and the
/// functions fma(a, b, c) and constant(c). `radix` is 2 to 64.
std::string emit_cuda(int radix);

/// `__device__ __forceinline__ void twisted16(Complex (&x)[16], const Complex (&w)[8])`: the DFT of
/// x[m] v^m for any v on the unit circle; `radix` is a power of two. Recursive halving leaves only
/// butterflies a +- f b with f = cos (1 + i tan). Each takes six multiply-adds; a multiplication by
/// f and a plain butterfly would take eight operations. `w` holds the pairs (cos, tan), see
/// twist_pairs().
std::string emit_cuda_twisted(int radix);

/// A factor f of the transform above: v^power exp(-2 pi i turns / radix).
struct TwistPair {
  int power = 0, turns = 0;
};
std::vector<TwistPair> twist_pairs(int radix);  ///< radix / 2 of them

}  // namespace weft::codelet
