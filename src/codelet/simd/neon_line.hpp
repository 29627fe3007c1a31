// SPDX-License-Identifier: BSD-3-Clause
// What line kernels and sweeps over lines use beside the operations of neon.hpp: shuffles of
// interleaved complex numbers. A complex double fills a register, so there is nothing to transpose.
#pragma once

#include "codelet/simd/neon.hpp"

namespace weft::codelet::simd {
namespace {

template <class Real>
struct NeonLine;

template <>
struct NeonLine<double> : Neon<double> {
  static Vec swap(Vec a) { return vextq_f64(a, a, 1); }
  static Vec reverse(Vec a) { return a; }
};

template <>
struct NeonLine<float> : Neon<float> {
  static Vec swap(Vec a) { return vrev64q_f32(a); }
  static Vec reverse(Vec a) { return vextq_f32(a, a, 2); }
  static Vec pair_low(Vec a, Vec b) { return first_halves(a, b); }
  static Vec pair_high(Vec a, Vec b) { return second_halves(a, b); }
};

}  // namespace
}  // namespace weft::codelet::simd
