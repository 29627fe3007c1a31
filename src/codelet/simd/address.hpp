// SPDX-License-Identifier: BSD-3-Clause
// Addresses at run-time strides. x86 adds base + {1,2,4,8} * index for free, so the odd multiples
// 1, 3, 5, 7 of a stride reach any of eight neighbours of a base pointer; a kernel of r rows needs
// r/8 bases. The asm statements hide how the multiples are related: otherwise the compiler makes r
// separate products, moves them all out of the loop and spills them.
//
// Everything lies in an anonymous namespace: emitted files are compiled with different -m flags and
// must not share inline functions.
#pragma once

#include "weft/index.hpp"

namespace weft::codelet::simd {
namespace {

template <class T>
[[gnu::always_inline]] inline T opaque(T value) {
  asm("" : "+r"(value));
  return value;
}

/// Tells the compiler that the array may have changed, so that it reads it again.
template <class Array>
[[gnu::always_inline]] inline void forget(Array& array) {
  asm volatile("" : "+m"(array));
}

/// A stride in bytes and its odd multiples.
struct Stride {
  Index one, three, five, seven;

  template <class Real>
  [[gnu::always_inline]] static Stride of(Index reals) {
    const Index bytes = opaque(reals * static_cast<Index>(sizeof(Real)));
    return {bytes, opaque(3 * bytes), opaque(5 * bytes), opaque(7 * bytes)};
  }
};

template <class Real>
[[gnu::always_inline]] inline Real* byte_offset(Real* base, Index bytes) {
  return reinterpret_cast<Real*>(reinterpret_cast<Index>(base) + bytes);
}

/// base + k strides for a k below 8 that is known at compile time.
template <class Real>
[[gnu::always_inline]] inline Real* neighbour(Real* base, const Stride& stride, int k) {
  switch (k) {
    case 0: return base;
    case 1: return byte_offset(base, stride.one);
    case 2: return byte_offset(base, stride.one * 2);
    case 3: return byte_offset(base, stride.three);
    case 4: return byte_offset(base, stride.one * 4);
    case 5: return byte_offset(base, stride.five);
    case 6: return byte_offset(base, stride.three * 2);
    default: return byte_offset(base, stride.seven);
  }
}

/// base + 8 strides: the next base.
template <class Real>
[[gnu::always_inline]] inline Real* next_base(Real* base, const Stride& stride) {
  return opaque(byte_offset(base, stride.one * 8));
}

/// The lanes of a row at a stride, `offset` reals further on. The offset comes last so that the
/// rows of a tile share one pointer per lane.
template <class Real>
struct Lanes {
  Real* base;
  const Stride& stride;
  int offset = 0;

  [[gnu::always_inline]] Real* operator()(int lane) const {
    Real* near = lane < 8 ? base : byte_offset(base, stride.one * 8);
    return neighbour(near, stride, lane % 8) + offset;
  }
};

template <class Real>
[[gnu::always_inline]] inline Lanes<Real> lanes_at(Real* base, const Stride& stride,
                                                   int offset = 0) {
  return {base, stride, offset};
}

}  // namespace
}  // namespace weft::codelet::simd
