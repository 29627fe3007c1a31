// SPDX-License-Identifier: BSD-3-Clause
// The operations a kernel may use, on AVX-512 (F, DQ, VL). Registers hold lanes in slot order (see
// planar_slot in registry.hpp), as the in-lane shuffles of load_unit leave them.
#pragma once

// GCC 12's own intrinsics read variables that they leave uninitialised on purpose.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include "codelet/simd/address.hpp"

namespace weft::codelet::simd {
namespace {

template <class Real>
struct Avx512;

template <>
struct Avx512<double> {
  using Real = double;
  using Vec = __m512d;
  static constexpr int lanes = 8;
  struct Row {
    Vec re, im;
  };
  struct Tile {
    Row row[2];
  };

  static Vec load(const Real* p) { return _mm512_loadu_pd(p); }
  static void store(Real* p, Vec v) { _mm512_storeu_pd(p, v); }
  static Vec broadcast(const Real* p) { return _mm512_set1_pd(*p); }
  static Vec set(Real value) { return _mm512_set1_pd(value); }
  static Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_pd(a, b, c); }
  static Vec fms(Vec a, Vec b, Vec c) { return _mm512_fmsub_pd(a, b, c); }
  static Vec fnma(Vec a, Vec b, Vec c) { return _mm512_fnmadd_pd(a, b, c); }

  static Row split(Vec a, Vec b) { return {_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b)}; }

  static Row load_unit(const Real* p, const Real* q) { return split(load(p), load(q)); }
  static void store_unit(Real* p, Real* q, Row x) {
    store(p, _mm512_unpacklo_pd(x.re, x.im));
    store(q, _mm512_unpackhi_pd(x.re, x.im));
  }

  static __m256d two_halves(const Real* low, const Real* high) {
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
  }
  static Vec halves(__m256d low, __m256d high) {
    return _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
  }
  /// Complex numbers of lanes l .. l + 3, in order.
  [[gnu::always_inline]] static Vec load_four(const Lanes<const Real>& at, int l) {
    return halves(two_halves(at(l), at(l + 1)), two_halves(at(l + 2), at(l + 3)));
  }
  [[gnu::always_inline]] static void store_four(const Lanes<Real>& at, int l, Vec v) {
    _mm_storeu_pd(at(l), _mm512_castpd512_pd128(v));
    _mm_storeu_pd(at(l + 1), _mm512_extractf64x2_pd(v, 1));
    _mm_storeu_pd(at(l + 2), _mm512_extractf64x2_pd(v, 2));
    _mm_storeu_pd(at(l + 3), _mm512_extractf64x2_pd(v, 3));
  }
  static Row load_strided(const Lanes<const Real>& at) {
    return split(load_four(at, 0), load_four(at, 4));
  }
  static void store_strided(const Lanes<Real>& at, Row x) {
    store_four(at, 0, _mm512_unpacklo_pd(x.re, x.im));
    store_four(at, 4, _mm512_unpackhi_pd(x.re, x.im));
  }

  static Vec to_slots(Vec v) {
    return _mm512_permutexvar_pd(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), v);
  }
  static Vec from_slots(Vec v) {
    return _mm512_permutexvar_pd(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), v);
  }
  static Vec load_real_unit(const Real* p) { return to_slots(load(p)); }
  static void store_real_unit(Real* p, Vec v) { store(p, from_slots(v)); }
  static Vec load_real_strided(const Lanes<const Real>& at) {
    return _mm512_setr_pd(*at(0), *at(4), *at(1), *at(5), *at(2), *at(6), *at(3), *at(7));
  }
  static void store_real_pair(Real* first, Real* second, __m128d v) {
    _mm_storel_pd(first, v);
    _mm_storeh_pd(second, v);
  }
  static void store_real_strided(const Lanes<Real>& at, Vec v) {
    store_real_pair(at(0), at(4), _mm512_castpd512_pd128(v));
    store_real_pair(at(1), at(5), _mm512_extractf64x2_pd(v, 1));
    store_real_pair(at(2), at(6), _mm512_extractf64x2_pd(v, 2));
    store_real_pair(at(3), at(7), _mm512_extractf64x2_pd(v, 3));
  }

  /// Two adjacent rows of two lanes: r0 r1 of the first, r0 r1 of the second.
  static Vec load_two_lanes(const Real* first, const Real* second) {
    return halves(_mm256_loadu_pd(first), _mm256_loadu_pd(second));
  }
  static void store_two_lanes(Real* first, Real* second, Vec v) {
    _mm256_storeu_pd(first, _mm512_castpd512_pd256(v));
    _mm256_storeu_pd(second, _mm512_extractf64x4_pd(v, 1));
  }
  static Tile load_tile(const Lanes<const Real>& at) {
    const Vec l01 = load_two_lanes(at(0), at(1)), l23 = load_two_lanes(at(2), at(3));
    const Vec l45 = load_two_lanes(at(4), at(5)), l67 = load_two_lanes(at(6), at(7));
    return {{split(_mm512_shuffle_f64x2(l01, l23, 0x88), _mm512_shuffle_f64x2(l45, l67, 0x88)),
             split(_mm512_shuffle_f64x2(l01, l23, 0xdd), _mm512_shuffle_f64x2(l45, l67, 0xdd))}};
  }
  /// The first two, or the last two, complex numbers of a and b, alternating: a0 b0 a1 b1.
  static Vec interleave_low(Vec a, Vec b) {
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), b);
  }
  static Vec interleave_high(Vec a, Vec b) {
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), b);
  }
  static void store_tile(const Lanes<Real>& at, Tile x) {
    const Vec low0 = _mm512_unpacklo_pd(x.row[0].re, x.row[0].im);
    const Vec low1 = _mm512_unpacklo_pd(x.row[1].re, x.row[1].im);
    store_two_lanes(at(0), at(1), interleave_low(low0, low1));
    store_two_lanes(at(2), at(3), interleave_high(low0, low1));
    const Vec high0 = _mm512_unpackhi_pd(x.row[0].re, x.row[0].im);
    const Vec high1 = _mm512_unpackhi_pd(x.row[1].re, x.row[1].im);
    store_two_lanes(at(4), at(5), interleave_low(high0, high1));
    store_two_lanes(at(6), at(7), interleave_high(high0, high1));
  }
};

template <>
struct Avx512<float> {
  using Real = float;
  using Vec = __m512;
  static constexpr int lanes = 16;
  struct Row {
    Vec re, im;
  };
  struct Tile {
    Row row[2];
  };

  static Vec load(const Real* p) { return _mm512_loadu_ps(p); }
  static void store(Real* p, Vec v) { _mm512_storeu_ps(p, v); }
  static Vec broadcast(const Real* p) { return _mm512_set1_ps(*p); }
  static Vec set(Real value) { return _mm512_set1_ps(value); }
  static Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }
  static Vec fms(Vec a, Vec b, Vec c) { return _mm512_fmsub_ps(a, b, c); }
  static Vec fnma(Vec a, Vec b, Vec c) { return _mm512_fnmadd_ps(a, b, c); }

  static Row split(Vec a, Vec b) {
    return {_mm512_shuffle_ps(a, b, 0x88), _mm512_shuffle_ps(a, b, 0xdd)};
  }

  static Row load_unit(const Real* p, const Real* q) { return split(load(p), load(q)); }
  static void store_unit(Real* p, Real* q, Row x) {
    store(p, _mm512_unpacklo_ps(x.re, x.im));
    store(q, _mm512_unpackhi_ps(x.re, x.im));
  }

  static Vec four_quarters(__m128 a, __m128 b, __m128 c, __m128 d) {
    const __m256 low = _mm256_insertf128_ps(_mm256_castps128_ps256(a), b, 1);
    const __m256 high = _mm256_insertf128_ps(_mm256_castps128_ps256(c), d, 1);
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
  }
  static __m128 two_complex(const Real* low, const Real* high) {
    const __m128 a = _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(low)));
    return _mm_loadh_pi(a, reinterpret_cast<const __m64*>(high));
  }
  static void store_complex(Real* low, Real* high, __m128 v) {
    _mm_storel_pi(reinterpret_cast<__m64*>(low), v);
    _mm_storeh_pi(reinterpret_cast<__m64*>(high), v);
  }
  /// Complex numbers of lanes l .. l + 7, in order.
  [[gnu::always_inline]] static Vec load_eight(const Lanes<const Real>& at, int l) {
    return four_quarters(two_complex(at(l), at(l + 1)), two_complex(at(l + 2), at(l + 3)),
                         two_complex(at(l + 4), at(l + 5)), two_complex(at(l + 6), at(l + 7)));
  }
  [[gnu::always_inline]] static void store_eight(const Lanes<Real>& at, int l, Vec v) {
    store_complex(at(l), at(l + 1), _mm512_castps512_ps128(v));
    store_complex(at(l + 2), at(l + 3), _mm512_extractf32x4_ps(v, 1));
    store_complex(at(l + 4), at(l + 5), _mm512_extractf32x4_ps(v, 2));
    store_complex(at(l + 6), at(l + 7), _mm512_extractf32x4_ps(v, 3));
  }
  static Row load_strided(const Lanes<const Real>& at) {
    return split(load_eight(at, 0), load_eight(at, 8));
  }
  static void store_strided(const Lanes<Real>& at, Row x) {
    store_eight(at, 0, _mm512_unpacklo_ps(x.re, x.im));
    store_eight(at, 8, _mm512_unpackhi_ps(x.re, x.im));
  }

  static Vec to_slots(Vec v) {
    return _mm512_castpd_ps(Avx512<double>::to_slots(_mm512_castps_pd(v)));
  }
  static Vec from_slots(Vec v) {
    return _mm512_castpd_ps(Avx512<double>::from_slots(_mm512_castps_pd(v)));
  }
  static Vec load_real_unit(const Real* p) { return to_slots(load(p)); }
  static void store_real_unit(Real* p, Vec v) { store(p, from_slots(v)); }
  /// Two real numbers of the first eight lanes and two of the others: a quarter of the slots.
  /// Memory in between would be stored in sixteen parts and loaded as one, which waits for them.
  static __m128 load_quarter(const Lanes<const Real>& at, int l) {
    return _mm_setr_ps(*at(l), *at(l + 1), *at(l + 8), *at(l + 9));
  }
  static void store_quarter(const Lanes<Real>& at, int l, __m128 v) {
    _mm_store_ss(at(l), v);
    _mm_store_ss(at(l + 1), _mm_movehdup_ps(v));
    _mm_store_ss(at(l + 8), _mm_movehl_ps(v, v));
    _mm_store_ss(at(l + 9), _mm_shuffle_ps(v, v, 0xff));
  }
  static Vec load_real_strided(const Lanes<const Real>& at) {
    return four_quarters(load_quarter(at, 0), load_quarter(at, 2), load_quarter(at, 4),
                         load_quarter(at, 6));
  }
  static void store_real_strided(const Lanes<Real>& at, Vec v) {
    store_quarter(at, 0, _mm512_castps512_ps128(v));
    store_quarter(at, 2, _mm512_extractf32x4_ps(v, 1));
    store_quarter(at, 4, _mm512_extractf32x4_ps(v, 2));
    store_quarter(at, 6, _mm512_extractf32x4_ps(v, 3));
  }

  static Vec unpack_low(Vec a, Vec b) {
    return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
  }
  static Vec unpack_high(Vec a, Vec b) {
    return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
  }
  /// Two adjacent rows of lanes l, l + 2, l + 4, l + 6: a quarter each.
  static Vec load_every_other(const Lanes<const Real>& at, int l) {
    return four_quarters(_mm_loadu_ps(at(l)), _mm_loadu_ps(at(l + 2)), _mm_loadu_ps(at(l + 4)),
                         _mm_loadu_ps(at(l + 6)));
  }
  static void store_every_other(const Lanes<Real>& at, int l, Vec v) {
    _mm_storeu_ps(at(l), _mm512_castps512_ps128(v));
    _mm_storeu_ps(at(l + 2), _mm512_extractf32x4_ps(v, 1));
    _mm_storeu_ps(at(l + 4), _mm512_extractf32x4_ps(v, 2));
    _mm_storeu_ps(at(l + 6), _mm512_extractf32x4_ps(v, 3));
  }
  static Tile load_tile(const Lanes<const Real>& at) {
    const Vec even0 = load_every_other(at, 0), odd0 = load_every_other(at, 1);
    const Vec even1 = load_every_other(at, 8), odd1 = load_every_other(at, 9);
    return {{split(unpack_low(even0, odd0), unpack_low(even1, odd1)),
             split(unpack_high(even0, odd0), unpack_high(even1, odd1))}};
  }
  static void store_tile(const Lanes<Real>& at, Tile x) {
    const Vec low0 = _mm512_unpacklo_ps(x.row[0].re, x.row[0].im);
    const Vec low1 = _mm512_unpacklo_ps(x.row[1].re, x.row[1].im);
    store_every_other(at, 0, unpack_low(low0, low1));
    store_every_other(at, 1, unpack_high(low0, low1));
    const Vec high0 = _mm512_unpackhi_ps(x.row[0].re, x.row[0].im);
    const Vec high1 = _mm512_unpackhi_ps(x.row[1].re, x.row[1].im);
    store_every_other(at, 8, unpack_low(high0, high1));
    store_every_other(at, 9, unpack_high(high0, high1));
  }
};

}  // namespace
}  // namespace weft::codelet::simd
