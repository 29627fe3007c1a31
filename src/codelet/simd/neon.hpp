// SPDX-License-Identifier: BSD-3-Clause
// The operations a kernel may use, on NEON of AArch64. Lanes stay in ascending order: the uzp
// instructions split complex numbers across the whole register.
#pragma once

#include <arm_neon.h>

#include "codelet/simd/address.hpp"

namespace weft::codelet::simd {
namespace {

template <class Real>
struct Neon;

template <>
struct Neon<double> {
  using Real = double;
  using Vec = float64x2_t;
  static constexpr int lanes = 2;
  struct Row {
    Vec re, im;
  };
  struct Tile {
    Row row[2];
  };

  static Vec load(const Real* p) { return vld1q_f64(p); }
  static void store(Real* p, Vec v) { vst1q_f64(p, v); }
  static Vec broadcast(const Real* p) { return vld1q_dup_f64(p); }
  static Vec set(Real value) { return vdupq_n_f64(value); }
  static Vec fma(Vec a, Vec b, Vec c) { return vfmaq_f64(c, a, b); }
  static Vec fms(Vec a, Vec b, Vec c) { return vnegq_f64(vfmsq_f64(c, a, b)); }
  static Vec fnma(Vec a, Vec b, Vec c) { return vfmsq_f64(c, a, b); }

  static Row split(Vec a, Vec b) { return {vuzp1q_f64(a, b), vuzp2q_f64(a, b)}; }

  static Row load_unit(const Real* p, const Real* q) { return split(load(p), load(q)); }
  static void store_unit(Real* p, Real* q, Row x) {
    store(p, vzip1q_f64(x.re, x.im));
    store(q, vzip2q_f64(x.re, x.im));
  }
  /// A complex number fills a register, so strided lanes are loaded like adjacent ones.
  static Row load_strided(const Lanes<const Real>& at) { return load_unit(at(0), at(1)); }
  static void store_strided(const Lanes<Real>& at, Row x) { store_unit(at(0), at(1), x); }
  static Vec load_real_unit(const Real* p) { return load(p); }
  static void store_real_unit(Real* p, Vec v) { store(p, v); }
  static Vec load_real_strided(const Lanes<const Real>& at) {
    return vcombine_f64(vld1_f64(at(0)), vld1_f64(at(1)));
  }
  static void store_real_strided(const Lanes<Real>& at, Vec v) {
    vst1q_lane_f64(at(0), v, 0);
    vst1q_lane_f64(at(1), v, 1);
  }
  static Tile load_tile(const Lanes<const Real>& at) {
    return {{load_unit(at(0), at(1)), load_unit(at(0) + 2, at(1) + 2)}};
  }
  static void store_tile(const Lanes<Real>& at, Tile x) {
    store_unit(at(0), at(1), x.row[0]);
    store_unit(at(0) + 2, at(1) + 2, x.row[1]);
  }
};

template <>
struct Neon<float> {
  using Real = float;
  using Vec = float32x4_t;
  static constexpr int lanes = 4;
  struct Row {
    Vec re, im;
  };
  struct Tile {
    Row row[2];
  };

  static Vec load(const Real* p) { return vld1q_f32(p); }
  static void store(Real* p, Vec v) { vst1q_f32(p, v); }
  static Vec broadcast(const Real* p) { return vld1q_dup_f32(p); }
  static Vec set(Real value) { return vdupq_n_f32(value); }
  static Vec fma(Vec a, Vec b, Vec c) { return vfmaq_f32(c, a, b); }
  static Vec fms(Vec a, Vec b, Vec c) { return vnegq_f32(vfmsq_f32(c, a, b)); }
  static Vec fnma(Vec a, Vec b, Vec c) { return vfmsq_f32(c, a, b); }

  static Row split(Vec a, Vec b) { return {vuzp1q_f32(a, b), vuzp2q_f32(a, b)}; }

  static Row load_unit(const Real* p, const Real* q) { return split(load(p), load(q)); }
  static void store_unit(Real* p, Real* q, Row x) {
    store(p, vzip1q_f32(x.re, x.im));
    store(q, vzip2q_f32(x.re, x.im));
  }
  static Vec two_complex(const Real* low, const Real* high) {
    return vcombine_f32(vld1_f32(low), vld1_f32(high));
  }
  static void store_complex(Real* low, Real* high, Vec v) {
    vst1_f32(low, vget_low_f32(v));
    vst1_f32(high, vget_high_f32(v));
  }
  static Row load_strided(const Lanes<const Real>& at) {
    return split(two_complex(at(0), at(1)), two_complex(at(2), at(3)));
  }
  static void store_strided(const Lanes<Real>& at, Row x) {
    store_complex(at(0), at(1), vzip1q_f32(x.re, x.im));
    store_complex(at(2), at(3), vzip2q_f32(x.re, x.im));
  }

  static Vec load_real_unit(const Real* p) { return load(p); }
  static void store_real_unit(Real* p, Vec v) { store(p, v); }
  static Vec load_real_strided(const Lanes<const Real>& at) {
    const Vec v0 = vld1q_dup_f32(at(0));
    const Vec v1 = vld1q_lane_f32(at(1), v0, 1);
    const Vec v2 = vld1q_lane_f32(at(2), v1, 2);
    return vld1q_lane_f32(at(3), v2, 3);
  }
  static void store_real_strided(const Lanes<Real>& at, Vec v) {
    vst1q_lane_f32(at(0), v, 0);
    vst1q_lane_f32(at(1), v, 1);
    vst1q_lane_f32(at(2), v, 2);
    vst1q_lane_f32(at(3), v, 3);
  }

  static Vec first_halves(Vec a, Vec b) {
    return vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)));
  }
  static Vec second_halves(Vec a, Vec b) {
    return vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)));
  }
  /// Two adjacent rows: each lane is one register of two complex numbers.
  static Tile load_tile(const Lanes<const Real>& at) {
    const Vec l0 = load(at(0)), l1 = load(at(1)), l2 = load(at(2)), l3 = load(at(3));
    return {{split(first_halves(l0, l1), first_halves(l2, l3)),
             split(second_halves(l0, l1), second_halves(l2, l3))}};
  }
  static void store_tile(const Lanes<Real>& at, Tile x) {
    const Vec low0 = vzip1q_f32(x.row[0].re, x.row[0].im);
    const Vec low1 = vzip1q_f32(x.row[1].re, x.row[1].im);
    store(at(0), first_halves(low0, low1));
    store(at(1), second_halves(low0, low1));
    const Vec high0 = vzip2q_f32(x.row[0].re, x.row[0].im);
    const Vec high1 = vzip2q_f32(x.row[1].re, x.row[1].im);
    store(at(2), first_halves(high0, high1));
    store(at(3), second_halves(high0, high1));
  }
};

}  // namespace
}  // namespace weft::codelet::simd
