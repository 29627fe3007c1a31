// SPDX-License-Identifier: BSD-3-Clause
// What line kernels and sweeps over lines use beside the operations of avx2.hpp: shuffles of
// interleaved complex numbers.
#pragma once

#include "codelet/simd/avx2.hpp"

namespace weft::codelet::simd {
namespace {

template <class Real>
struct Avx2Line;

template <>
struct Avx2Line<double> : Avx2<double> {
  static Vec swap(Vec a) { return _mm256_permute_pd(a, 0x5); }
  static Vec reverse(Vec a) { return _mm256_permute2f128_pd(a, a, 0x01); }
  static Vec even(Vec a, Vec b) { return _mm256_permute2f128_pd(a, b, 0x20); }
  static Vec odd(Vec a, Vec b) { return _mm256_permute2f128_pd(a, b, 0x31); }
};

template <>
struct Avx2Line<float> : Avx2<float> {
  static Vec swap(Vec a) { return _mm256_permute_ps(a, 0xb1); }
  static Vec reverse(Vec a) {
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(a), 0x1b));
  }
  static Vec pair_low(Vec a, Vec b) { return unpack_low(a, b); }
  static Vec pair_high(Vec a, Vec b) { return unpack_high(a, b); }
  static Vec even(Vec a, Vec b) { return _mm256_permute2f128_ps(a, b, 0x20); }
  static Vec odd(Vec a, Vec b) { return _mm256_permute2f128_ps(a, b, 0x31); }
  /// Two lines, half a register each.
  static Vec load_lines(const Real* first, const Real* second) { return two_halves(first, second); }
  static void store_lines(Real* first, Real* second, Vec v) { store_halves(first, second, v); }
};

}  // namespace
}  // namespace weft::codelet::simd
