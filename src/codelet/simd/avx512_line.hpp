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
  /// Two lines, half a register each.
  static Vec load_lines(const Real* first, const Real* second) {
    return load_two_lanes(first, second);
  }
  static void store_lines(Real* first, Real* second, Vec v) { store_two_lanes(first, second, v); }
  static Vec even_of_halves(Vec a, Vec b) {
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), b);
  }
  static Vec odd_of_halves(Vec a, Vec b) {
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15), b);
  }
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
  static Vec load_lines(const Real* first, const Real* second) {
    const Vec low = _mm512_castps256_ps512(_mm256_loadu_ps(first));
    return _mm512_insertf32x8(low, _mm256_loadu_ps(second), 1);
  }
  static void store_lines(Real* first, Real* second, Vec v) {
    _mm256_storeu_ps(first, _mm512_castps512_ps256(v));
    _mm256_storeu_ps(second, _mm512_extractf32x8_ps(v, 1));
  }
  static Vec even_of_halves(Vec a, Vec b) {
    return _mm512_castpd_ps(
        Avx512Line<double>::even_of_halves(_mm512_castps_pd(a), _mm512_castps_pd(b)));
  }
  static Vec odd_of_halves(Vec a, Vec b) {
    return _mm512_castpd_ps(
        Avx512Line<double>::odd_of_halves(_mm512_castps_pd(a), _mm512_castps_pd(b)));
  }
};

}  // namespace
}  // namespace weft::codelet::simd
