// SPDX-License-Identifier: BSD-3-Clause
// Memory of distributed test problems: reals of any precision, and the positions of the elements of
// boxes.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <cstring>
#include <vector>

#include "reshape/piece.hpp"
#include "support/half.hpp"
#include "weft/distributed.hpp"

namespace weft::test {

/// Part `part` of element `index` of the global input; depends only on the index.
inline float value_at(Index index, int part) {
  std::uint64_t x = static_cast<std::uint64_t>(index) * 2 + static_cast<std::uint64_t>(part) + 1;
  x ^= x >> 12;
  x *= 0x9E3779B97F4A7C15U;
  x ^= x >> 31;
  return static_cast<float>(static_cast<double>(x % 2001) / 1000.0 - 1.0);
}

/// An array of reals of a given precision.
struct Reals {
  Precision precision;
  std::vector<std::byte> bytes;

  Reals(Precision p, Index count)
      : precision(p), bytes(static_cast<std::size_t>(count * size_of(p)), std::byte{0x7B}) {}
  static Index size_of(Precision p) {
    return p == Precision::f64 ? 8 : p == Precision::f32 ? 4 : 2;
  }
  Index count() const { return static_cast<Index>(bytes.size()) / size_of(precision); }
  void set(Index i, float value) {
    std::byte* at = bytes.data() + i * size_of(precision);
    const double wide = value;
    const Half half = double_to_half(value);
    if (precision == Precision::f64) std::memcpy(at, &wide, 8);
    if (precision == Precision::f32) std::memcpy(at, &value, 4);
    if (precision == Precision::f16) std::memcpy(at, &half, 2);
  }
  double get(Index i) const {
    const std::byte* at = bytes.data() + i * size_of(precision);
    double wide = 0;
    float single = 0;
    Half half{};
    if (precision == Precision::f64) std::memcpy(&wide, at, 8);
    if (precision == Precision::f32) {
      std::memcpy(&single, at, 4);
      wide = single;
    }
    if (precision == Precision::f16) {
      std::memcpy(&half, at, 2);
      wide = half_to_double(half);
    }
    return wide;
  }
};

/// Calls call(In{}, Out{}) with the element types of the transform.
template <class Call>
void with_types(const Transform& t, const Call& call) {
  const bool real_in = t.kind == Kind::r2c || t.kind == Kind::r2r;
  const bool real_out = t.kind == Kind::c2r || t.kind == Kind::r2r;
  const auto with_out = [&]<class Real, class Complex, class In>(Real, Complex, In) {
    if (real_out)
      call(In{}, Real{});
    else
      call(In{}, Complex{});
  };
  const auto with_in = [&]<class Real, class Complex>(Real real, Complex complex) {
    if (real_in)
      with_out(real, complex, real);
    else
      with_out(real, complex, complex);
  };
  if (t.precision == Precision::f64) with_in(double{}, std::complex<double>{});
  if (t.precision == Precision::f32) with_in(float{}, std::complex<float>{});
  if (t.precision == Precision::f16) with_in(Half{}, ComplexHalf{});
}

/// The input or the output of a transform.
struct Side {
  std::vector<Index> shape;
  int width;  // reals per element
};
inline Side side_of(const Transform& t, bool input) {
  std::vector<Index> shape = t.shape;
  const bool halved = t.kind == (input ? Kind::c2r : Kind::r2c) && t.spectrum == Spectrum::half;
  if (const auto& kept = input ? t.input_extents : t.output_extents; !kept.empty()) {
    shape = kept;
  } else if (halved) {
    Index& n = shape[static_cast<std::size_t>(t.axes.back())];
    n = n / 2 + 1;
  }
  const bool real = t.kind == Kind::r2r || t.kind == (input ? Kind::r2c : Kind::c2r);
  return {shape, real ? 1 : 2};
}

/// Calls visit(global index, position in memory) for every element of a rank's boxes.
template <class Visit>
void for_each(const LocalBoxes& boxes, const std::vector<Index>& shape, const Visit& visit) {
  for (const reshape::Piece& piece : reshape::pieces_of(boxes, reshape::Memory::input, 1)) {
    ASSERT_EQ(piece.box.ndim, static_cast<int>(shape.size()));
    std::vector<Index> i(piece.box.begin.begin(), piece.box.begin.begin() + piece.box.ndim);
    const Index count = piece.box.count();
    for (Index n = 0; n < count; ++n) {
      Index global = 0, local = piece.offset;
      for (std::size_t d = 0; d < i.size(); ++d) {
        global = global * shape[d] + i[d];
        local += (i[d] - piece.box.begin[d]) * piece.strides[d];
      }
      visit(global, local);
      for (std::size_t d = i.size(); d-- > 0;) {
        if (++i[d] < piece.box.end[d]) break;
        i[d] = piece.box.begin[d];
      }
    }
  }
}

}  // namespace weft::test
