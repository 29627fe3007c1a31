// SPDX-License-Identifier: BSD-3-Clause
// Operations of line kernels and of sweeps over lines in addition to those of neon.hpp: shuffles of
// interleaved complex numbers. A complex double fills a register, so no transposition is needed.
#pragma once

#include "codelet/simd/neon.hpp"

namespace weft::codelet::simd {
namespace {

/// Which number a pick takes for number j: digit j to base 16.
constexpr int picked(unsigned digits, int j) { return static_cast<int>(digits >> (4 * j)) & 15; }

template <class Real>
struct NeonLine;

template <>
struct NeonLine<double> : Neon<double> {
  static Vec swap(Vec a) { return vextq_f64(a, a, 1); }
  static Vec reverse(Vec a) { return a; }
  static Vec conjugate(Vec a) { return vsetq_lane_f64(-vgetq_lane_f64(a, 1), a, 1); }
  static Vec real_first(Vec a) { return vsetq_lane_f64(0.0, a, 1); }
  static void store_one(Real* p, Vec v) { vst1q_f64(p, v); }
};

template <>
struct NeonLine<float> : Neon<float> {
  static Vec swap(Vec a) { return vrev64q_f32(a); }
  static Vec reverse(Vec a) { return vextq_f32(a, a, 2); }
  static Vec pair_low(Vec a, Vec b) { return first_halves(a, b); }
  static Vec pair_high(Vec a, Vec b) { return second_halves(a, b); }
  template <int number>
  static float32x2_t one_of(Vec a, Vec b) {
    const Vec from = number < 2 ? a : b;
    return number % 2 == 0 ? vget_low_f32(from) : vget_high_f32(from);
  }
  template <unsigned digits>
  static Vec pick(Vec a, Vec b) {
    return vcombine_f32(one_of<picked(digits, 0)>(a, b), one_of<picked(digits, 1)>(a, b));
  }
  static Vec conjugate(Vec a) {
    const uint32x4_t signs = vreinterpretq_u32_u64(vdupq_n_u64(uint64_t{1} << 63));
    return vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(a), signs));
  }
  static Vec real_first(Vec a) { return vsetq_lane_f32(0.0f, a, 1); }
  static void store_one(Real* p, Vec v) { vst1_f32(p, vget_low_f32(v)); }
};

}  // namespace
}  // namespace weft::codelet::simd
