// SPDX-License-Identifier: BSD-3-Clause
// Operations of line kernels and of sweeps over lines in addition to those of avx512.hpp: shuffles
// of interleaved complex numbers.
#pragma once

#include "codelet/simd/avx512.hpp"

namespace weft::codelet::simd {
namespace {

/// Which number a pick takes for number j: digit j to base 16.
constexpr int picked(unsigned digits, int j) { return static_cast<int>(digits >> (4 * j)) & 15; }

template <class Real>
struct Avx512Line;

template <>
struct Avx512Line<double> : Avx512<double> {
  static Vec swap(Vec a) { return _mm512_permute_pd(a, 0x55); }
  static Vec reverse(Vec a) { return _mm512_shuffle_f64x2(a, a, 0x1b); }
  static Vec even(Vec a, Vec b) { return _mm512_shuffle_f64x2(a, b, 0x88); }
  static Vec odd(Vec a, Vec b) { return _mm512_shuffle_f64x2(a, b, 0xdd); }
  template <unsigned digits>
  static Vec pick(Vec a, Vec b) {
    constexpr int s0 = 2 * picked(digits, 0), s1 = 2 * picked(digits, 1),
                  s2 = 2 * picked(digits, 2), s3 = 2 * picked(digits, 3);
    const __m512i order = _mm512_setr_epi64(s0, s0 + 1, s1, s1 + 1, s2, s2 + 1, s3, s3 + 1);
    return _mm512_permutex2var_pd(a, order, b);
  }
  static Vec conjugate(Vec a) {
    return _mm512_xor_pd(a, _mm512_setr_pd(0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0));
  }
  static Vec real_first(Vec a) { return _mm512_maskz_mov_pd(0xfd, a); }
  static void store_one(Real* p, Vec v) { _mm_storeu_pd(p, _mm512_castpd512_pd128(v)); }
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
  template <unsigned digits>
  static Vec pick(Vec a, Vec b) {
    const __m512i order = _mm512_setr_epi64(picked(digits, 0), picked(digits, 1), picked(digits, 2),
                                            picked(digits, 3), picked(digits, 4), picked(digits, 5),
                                            picked(digits, 6), picked(digits, 7));
    return _mm512_castpd_ps(
        _mm512_permutex2var_pd(_mm512_castps_pd(a), order, _mm512_castps_pd(b)));
  }
  static Vec conjugate(Vec a) {
    return _mm512_castpd_ps(
        _mm512_xor_pd(_mm512_castps_pd(a),
                      _mm512_castsi512_pd(_mm512_set1_epi64(INT64_MIN))));  // every second sign
  }
  static Vec real_first(Vec a) { return _mm512_maskz_mov_ps(0xfffd, a); }
  static void store_one(Real* p, Vec v) {
    _mm_storel_pi(reinterpret_cast<__m64*>(p), _mm512_castps512_ps128(v));
  }
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
