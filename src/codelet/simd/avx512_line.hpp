// SPDX-License-Identifier: BSD-3-Clause
// What line kernels and sweeps over lines use beside the operations of avx512.hpp: shuffles of
// interleaved complex numbers.
#pragma once

#include "codelet/simd/avx512.hpp"

namespace weft::codelet::simd {
namespace {

template <class Real>
struct Avx512Line;

template <>
struct Avx512Line<double> : Avx512<double> {
  static Vec swap(Vec a) { return _mm512_permute_pd(a, 0x55); }
  static Vec reverse(Vec a) { return _mm512_shuffle_f64x2(a, a, 0x1b); }
  static Vec even(Vec a, Vec b) { return _mm512_shuffle_f64x2(a, b, 0x88); }
  static Vec odd(Vec a, Vec b) { return _mm512_shuffle_f64x2(a, b, 0xdd); }
};

template <>
struct Avx512Line<float> : Avx512<float> {
  static Vec swap(Vec a) { return _mm512_permute_ps(a, 0xb1); }
  static Vec reverse(Vec a) {
    const __m512i order = _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_castpd_ps(_mm512_permutexvar_pd(order, _mm512_castps_pd(a)));
  }
  static Vec pair_low(Vec a, Vec b) { return unpack_low(a, b); }
  static Vec pair_high(Vec a, Vec b) { return unpack_high(a, b); }
  static Vec even(Vec a, Vec b) { return _mm512_shuffle_f32x4(a, b, 0x88); }
  static Vec odd(Vec a, Vec b) { return _mm512_shuffle_f32x4(a, b, 0xdd); }
};

}  // namespace
}  // namespace weft::codelet::simd
