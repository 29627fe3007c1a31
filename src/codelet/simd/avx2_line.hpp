// SPDX-License-Identifier: BSD-3-Clause
// Operations of line kernels and of sweeps over lines in addition to those of avx2.hpp: shuffles of
// interleaved complex numbers.
#pragma once

#include "codelet/simd/avx2.hpp"

namespace weft::codelet::simd {
namespace {

/// Which number a pick takes for number j: digit j to base 16.
constexpr int picked(unsigned digits, int j) { return static_cast<int>(digits >> (4 * j)) & 15; }

template <class Real>
struct Avx2Line;

template <>
struct Avx2Line<double> : Avx2<double> {
  static Vec swap(Vec a) { return _mm256_permute_pd(a, 0x5); }
  static Vec reverse(Vec a) { return _mm256_permute2f128_pd(a, a, 0x01); }
  static Vec even(Vec a, Vec b) { return _mm256_permute2f128_pd(a, b, 0x20); }
  static Vec odd(Vec a, Vec b) { return _mm256_permute2f128_pd(a, b, 0x31); }
  template <unsigned digits>
  static Vec pick(Vec a, Vec b) {
    return _mm256_permute2f128_pd(a, b, picked(digits, 0) | picked(digits, 1) << 4);
  }
  static Vec conjugate(Vec a) { return _mm256_xor_pd(a, _mm256_setr_pd(0.0, -0.0, 0.0, -0.0)); }
  static Vec real_first(Vec a) { return _mm256_blend_pd(a, _mm256_setzero_pd(), 0x2); }
  static void store_one(Real* p, Vec v) { _mm_storeu_pd(p, _mm256_castpd256_pd128(v)); }
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
  template <unsigned digits>
  static Vec pick(Vec a, Vec b) {
    constexpr int s0 = picked(digits, 0), s1 = picked(digits, 1), s2 = picked(digits, 2),
                  s3 = picked(digits, 3);
    constexpr int order = s0 % 4 | s1 % 4 << 2 | s2 % 4 << 4 | s3 % 4 << 6;
    constexpr int from_b = s0 / 4 | s1 / 4 << 1 | s2 / 4 << 2 | s3 / 4 << 3;
    constexpr int in_order = 0xe4;  // 3 2 1 0
    const __m256d x = _mm256_castps_pd(a), y = _mm256_castps_pd(b);
    if constexpr (order == in_order) return _mm256_castpd_ps(_mm256_blend_pd(x, y, from_b));
    if constexpr (from_b == 0) return _mm256_castpd_ps(_mm256_permute4x64_pd(x, order));
    return _mm256_castpd_ps(
        _mm256_blend_pd(_mm256_permute4x64_pd(x, order), _mm256_permute4x64_pd(y, order), from_b));
  }
  static Vec conjugate(Vec a) {
    return _mm256_xor_ps(a, _mm256_setr_ps(0.f, -0.f, 0.f, -0.f, 0.f, -0.f, 0.f, -0.f));
  }
  static Vec real_first(Vec a) { return _mm256_blend_ps(a, _mm256_setzero_ps(), 0x2); }
  static void store_one(Real* p, Vec v) {
    _mm_storel_pi(reinterpret_cast<__m64*>(p), _mm256_castps256_ps128(v));
  }
  /// Two lines, half a register each.
  static Vec load_lines(const Real* first, const Real* second) { return two_halves(first, second); }
  static void store_lines(Real* first, Real* second, Vec v) { store_halves(first, second, v); }
};

/// Registers of 128 bits, for lines too short for longer ones.
template <class Real>
struct Avx2NarrowLine;

template <>
struct Avx2NarrowLine<double> {
  using Real = double;
  using Vec = __m128d;
  static constexpr int lanes = 2;
  static Vec load(const Real* p) { return _mm_loadu_pd(p); }
  static void store(Real* p, Vec v) { _mm_storeu_pd(p, v); }
  static void store_one(Real* p, Vec v) { _mm_storeu_pd(p, v); }
  static Vec set(Real value) { return _mm_set1_pd(value); }
  static Vec fma(Vec a, Vec b, Vec c) { return _mm_fmadd_pd(a, b, c); }
  static Vec fms(Vec a, Vec b, Vec c) { return _mm_fmsub_pd(a, b, c); }
  static Vec fnma(Vec a, Vec b, Vec c) { return _mm_fnmadd_pd(a, b, c); }
  static Vec swap(Vec a) { return _mm_permute_pd(a, 0x1); }
  static Vec conjugate(Vec a) { return _mm_xor_pd(a, _mm_setr_pd(0.0, -0.0)); }
  static Vec real_first(Vec a) { return _mm_move_sd(_mm_setzero_pd(), a); }
};

/// One number occupies the lower half.
template <>
struct Avx2NarrowLine<float> {
  using Real = float;
  using Vec = __m128;
  static constexpr int lanes = 4;
  static Vec load(const Real* p) { return _mm_loadu_ps(p); }
  static void store(Real* p, Vec v) { _mm_storeu_ps(p, v); }
  static Vec load_one(const Real* p) {
    return _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  static void store_one(Real* p, Vec v) { _mm_storel_pi(reinterpret_cast<__m64*>(p), v); }
  static Vec set(Real value) { return _mm_set1_ps(value); }
  static Vec fma(Vec a, Vec b, Vec c) { return _mm_fmadd_ps(a, b, c); }
  static Vec fms(Vec a, Vec b, Vec c) { return _mm_fmsub_ps(a, b, c); }
  static Vec fnma(Vec a, Vec b, Vec c) { return _mm_fnmadd_ps(a, b, c); }
  static Vec swap(Vec a) { return _mm_permute_ps(a, 0xb1); }
  static Vec pair_low(Vec a, Vec b) { return _mm_movelh_ps(a, b); }
  static Vec pair_high(Vec a, Vec b) { return _mm_movehl_ps(b, a); }
  template <unsigned digits>
  static Vec pick(Vec a, Vec b) {
    constexpr int s0 = picked(digits, 0), s1 = picked(digits, 1);
    const __m128d first = _mm_castps_pd(s0 < 2 ? a : b), second = _mm_castps_pd(s1 < 2 ? a : b);
    return _mm_castpd_ps(_mm_shuffle_pd(first, second, s0 % 2 | s1 % 2 << 1));
  }
  static Vec conjugate(Vec a) { return _mm_xor_ps(a, _mm_setr_ps(0.f, -0.f, 0.f, -0.f)); }
  static Vec real_first(Vec a) { return _mm_blend_ps(a, _mm_setzero_ps(), 0x2); }
};

}  // namespace
}  // namespace weft::codelet::simd
