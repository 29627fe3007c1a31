// SPDX-License-Identifier: BSD-3-Clause
// The operations a kernel may use, one lane at a time in plain C++. Every layout is the strided one
// with a single lane. A multiply-add rounds twice: a fused one would be a library call.
#pragma once

#include "codelet/simd/address.hpp"

namespace weft::codelet::simd {
namespace {

template <class T>
struct Scalar {
  using Real = T;
  using Vec = T;
  static constexpr int lanes = 1;
  struct Row {
    Vec re, im;
  };

  static Vec load(const Real* p) { return *p; }
  static void store(Real* p, Vec v) { *p = v; }
  static Vec broadcast(const Real* p) { return *p; }
  static Vec set(Real value) { return value; }
  static Vec fma(Vec a, Vec b, Vec c) { return a * b + c; }
  static Vec fms(Vec a, Vec b, Vec c) { return a * b - c; }
  static Vec fnma(Vec a, Vec b, Vec c) { return c - a * b; }

  static Vec load_real_strided(const Lanes<const Real>& at) { return *at(0); }
  static void store_real_strided(const Lanes<Real>& at, Vec v) { *at(0) = v; }
  static Row load_strided(const Lanes<const Real>& at) { return {at(0)[0], at(0)[1]}; }
  static void store_strided(const Lanes<Real>& at, Row x) {
    at(0)[0] = x.re;
    at(0)[1] = x.im;
  }
};

}  // namespace
}  // namespace weft::codelet::simd
