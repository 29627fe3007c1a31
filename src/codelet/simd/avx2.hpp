// SPDX-License-Identifier: BSD-3-Clause
// The operations a kernel may use, on AVX2 with FMA. Registers hold lanes in slot order (see
// planar_slot in registry.hpp): in-lane shuffles split interleaved complex numbers, and every other
// way of loading puts its lanes into the same order.
#pragma once

#include <immintrin.h>

#include "codelet/simd/address.hpp"

namespace weft::codelet::simd {
namespace {

template <class Real>
struct Avx2;

template <>
struct Avx2<double> {
  using Real = double;
  using Vec = __m256d;
  static constexpr int lanes = 4;
  struct Row {
    Vec re, im;
  };
  struct Tile {
    Row row[2];
  };

  static Vec load(const Real* p) { return _mm256_loadu_pd(p); }
  static void store(Real* p, Vec v) { _mm256_storeu_pd(p, v); }
  static Vec broadcast(const Real* p) { return _mm256_broadcast_sd(p); }
  static Vec set(Real value) { return _mm256_set1_pd(value); }
  static Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_pd(a, b, c); }
  static Vec fms(Vec a, Vec b, Vec c) { return _mm256_fmsub_pd(a, b, c); }
  static Vec fnma(Vec a, Vec b, Vec c) { return _mm256_fnmadd_pd(a, b, c); }

  static Row split(Vec a, Vec b) { return {_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)}; }

  static Row load_unit(const Real* p, const Real* q) { return split(load(p), load(q)); }
  static void store_unit(Real* p, Real* q, Row x) {
    store(p, _mm256_unpacklo_pd(x.re, x.im));
    store(q, _mm256_unpackhi_pd(x.re, x.im));
  }

  static Vec two_halves(const Real* low, const Real* high) {
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
  }
  static void store_halves(Real* low, Real* high, Vec v) {
    _mm_storeu_pd(low, _mm256_castpd256_pd128(v));
    _mm_storeu_pd(high, _mm256_extractf128_pd(v, 1));
  }
  static Row load_strided(const Lanes<const Real>& at) {
    return split(two_halves(at(0), at(1)), two_halves(at(2), at(3)));
  }
  static void store_strided(const Lanes<Real>& at, Row x) {
    store_halves(at(0), at(1), _mm256_unpacklo_pd(x.re, x.im));
    store_halves(at(2), at(3), _mm256_unpackhi_pd(x.re, x.im));
  }

  static Vec load_real_unit(const Real* p) { return _mm256_permute4x64_pd(load(p), 0xd8); }
  static void store_real_unit(Real* p, Vec v) { store(p, _mm256_permute4x64_pd(v, 0xd8)); }
  static Vec load_real_strided(const Lanes<const Real>& at) {
    return _mm256_setr_pd(*at(0), *at(2), *at(1), *at(3));
  }
  static void store_real_strided(const Lanes<Real>& at, Vec v) {
    const __m128d low = _mm256_castpd256_pd128(v), high = _mm256_extractf128_pd(v, 1);
    _mm_storel_pd(at(0), low);
    _mm_storel_pd(at(1), high);
    _mm_storeh_pd(at(2), low);
    _mm_storeh_pd(at(3), high);
  }

  /// Two adjacent rows: each lane is one register of two complex numbers.
  static Tile load_tile(const Lanes<const Real>& at) {
    const Vec l0 = load(at(0)), l1 = load(at(1)), l2 = load(at(2)), l3 = load(at(3));
    return {{split(_mm256_permute2f128_pd(l0, l1, 0x20), _mm256_permute2f128_pd(l2, l3, 0x20)),
             split(_mm256_permute2f128_pd(l0, l1, 0x31), _mm256_permute2f128_pd(l2, l3, 0x31))}};
  }
  static void store_tile(const Lanes<Real>& at, Tile x) {
    const Vec low0 = _mm256_unpacklo_pd(x.row[0].re, x.row[0].im);
    const Vec low1 = _mm256_unpacklo_pd(x.row[1].re, x.row[1].im);
    store(at(0), _mm256_permute2f128_pd(low0, low1, 0x20));
    store(at(1), _mm256_permute2f128_pd(low0, low1, 0x31));
    const Vec high0 = _mm256_unpackhi_pd(x.row[0].re, x.row[0].im);
    const Vec high1 = _mm256_unpackhi_pd(x.row[1].re, x.row[1].im);
    store(at(2), _mm256_permute2f128_pd(high0, high1, 0x20));
    store(at(3), _mm256_permute2f128_pd(high0, high1, 0x31));
  }
};

template <>
struct Avx2<float> {
  using Real = float;
  using Vec = __m256;
  static constexpr int lanes = 8;
  struct Row {
    Vec re, im;
  };
  struct Tile {
    Row row[2];
  };

  static Vec load(const Real* p) { return _mm256_loadu_ps(p); }
  static void store(Real* p, Vec v) { _mm256_storeu_ps(p, v); }
  static Vec broadcast(const Real* p) { return _mm256_broadcast_ss(p); }
  static Vec set(Real value) { return _mm256_set1_ps(value); }
  static Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
  static Vec fms(Vec a, Vec b, Vec c) { return _mm256_fmsub_ps(a, b, c); }
  static Vec fnma(Vec a, Vec b, Vec c) { return _mm256_fnmadd_ps(a, b, c); }

  static Row split(Vec a, Vec b) {
    return {_mm256_shuffle_ps(a, b, 0x88), _mm256_shuffle_ps(a, b, 0xdd)};
  }

  static Row load_unit(const Real* p, const Real* q) { return split(load(p), load(q)); }
  static void store_unit(Real* p, Real* q, Row x) {
    store(p, _mm256_unpacklo_ps(x.re, x.im));
    store(q, _mm256_unpackhi_ps(x.re, x.im));
  }

  static __m128 two_complex(const Real* low, const Real* high) {
    const __m128 a = _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(low)));
    return _mm_loadh_pi(a, reinterpret_cast<const __m64*>(high));
  }
  static void store_complex(Real* low, Real* high, __m128 v) {
    _mm_storel_pi(reinterpret_cast<__m64*>(low), v);
    _mm_storeh_pi(reinterpret_cast<__m64*>(high), v);
  }
  static Vec halves(__m128 low, __m128 high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
  }
  static Vec load_four(const Lanes<const Real>& at, int l) {
    return halves(two_complex(at(l), at(l + 1)), two_complex(at(l + 2), at(l + 3)));
  }
  static void store_four(const Lanes<Real>& at, int l, Vec v) {
    store_complex(at(l), at(l + 1), _mm256_castps256_ps128(v));
    store_complex(at(l + 2), at(l + 3), _mm256_extractf128_ps(v, 1));
  }
  static Row load_strided(const Lanes<const Real>& at) {
    return split(load_four(at, 0), load_four(at, 4));
  }
  static void store_strided(const Lanes<Real>& at, Row x) {
    store_four(at, 0, _mm256_unpacklo_ps(x.re, x.im));
    store_four(at, 4, _mm256_unpackhi_ps(x.re, x.im));
  }

  static Vec swap_middle(Vec v) {
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(v), 0xd8));
  }
  static Vec load_real_unit(const Real* p) { return swap_middle(load(p)); }
  static void store_real_unit(Real* p, Vec v) { store(p, swap_middle(v)); }
  static Vec load_real_strided(const Lanes<const Real>& at) {
    return _mm256_setr_ps(*at(0), *at(1), *at(4), *at(5), *at(2), *at(3), *at(6), *at(7));
  }
  static void store_real_pair(Real* first, Real* second, __m128 v) {
    _mm_store_ss(first, v);
    _mm_store_ss(second, _mm_shuffle_ps(v, v, 0x55));
  }
  static void store_real_strided(const Lanes<Real>& at, Vec v) {
    const __m128 low = _mm256_castps256_ps128(v), high = _mm256_extractf128_ps(v, 1);
    store_real_pair(at(0), at(1), low);
    store_real_pair(at(4), at(5), _mm_movehl_ps(low, low));
    store_real_pair(at(2), at(3), high);
    store_real_pair(at(6), at(7), _mm_movehl_ps(high, high));
  }

  static Vec two_halves(const Real* low, const Real* high) {
    return halves(_mm_loadu_ps(low), _mm_loadu_ps(high));
  }
  static void store_halves(Real* low, Real* high, Vec v) {
    _mm_storeu_ps(low, _mm256_castps256_ps128(v));
    _mm_storeu_ps(high, _mm256_extractf128_ps(v, 1));
  }
  static Vec unpack_low(Vec a, Vec b) {
    return _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)));
  }
  static Vec unpack_high(Vec a, Vec b) {
    return _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)));
  }

  /// Two adjacent rows: each lane is half a register; lanes 0..3 give the low operand of the split.
  static Tile load_tile(const Lanes<const Real>& at) {
    const Vec l02 = two_halves(at(0), at(2)), l13 = two_halves(at(1), at(3));
    const Vec l46 = two_halves(at(4), at(6)), l57 = two_halves(at(5), at(7));
    return {{split(unpack_low(l02, l13), unpack_low(l46, l57)),
             split(unpack_high(l02, l13), unpack_high(l46, l57))}};
  }
  static void store_tile(const Lanes<Real>& at, Tile x) {
    const Vec low0 = _mm256_unpacklo_ps(x.row[0].re, x.row[0].im);
    const Vec low1 = _mm256_unpacklo_ps(x.row[1].re, x.row[1].im);
    store_halves(at(0), at(2), unpack_low(low0, low1));
    store_halves(at(1), at(3), unpack_high(low0, low1));
    const Vec high0 = _mm256_unpackhi_ps(x.row[0].re, x.row[0].im);
    const Vec high1 = _mm256_unpackhi_ps(x.row[1].re, x.row[1].im);
    store_halves(at(4), at(6), unpack_low(high0, high1));
    store_halves(at(5), at(7), unpack_high(high0, high1));
  }
};

}  // namespace
}  // namespace weft::codelet::simd
