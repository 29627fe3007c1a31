// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/ranks/twiddle_kernel.hpp"

#include "base/index.hpp"

namespace weft::gpu {
namespace {

constexpr const char* twiddle_text = R"(
struct alignas(2 * sizeof(Real)) Complex { Real x, y; };
struct Shape {
  int ndim, p_axis, q_axis;
  long long count, extents[8], strides[8], p_begin, q_begin, points;
  double sign;
};
struct Arguments { Complex* data; Shape shape; };
#ifndef __CUDACC__
#include <math.h>
static void sincospi(double t, double* s, double* c) {
  *s = sin(3.14159265358979323846 * t);
  *c = cos(3.14159265358979323846 * t);
}
#endif
__device__ __forceinline__ void treat(const Arguments& a, long long i) {
  const Shape& shape = a.shape;
  long long at = 0, p = shape.p_begin, q = shape.q_begin;
  for (int d = shape.ndim - 1; d >= 0; --d) {
    const long long digit = i % shape.extents[d];
    i /= shape.extents[d];
    at += digit * shape.strides[d];
    if (d == shape.p_axis) p += digit;
    if (d == shape.q_axis) q += digit;
  }
  long long half_turns = 2 * p * q;  // over the points; p q is less than these
  if (half_turns > shape.points) half_turns -= 2 * shape.points;
  double s, c;
  sincospi(shape.sign * ((double)half_turns / (double)shape.points), &s, &c);
  const double x = a.data[at].x, y = a.data[at].y;
  a.data[at].x = (Real)(x * c - y * s);
  a.data[at].y = (Real)(x * s + y * c);
}
)";

}  // namespace

std::string emit_twiddle(Precision precision) {
  return std::string("// weft: twiddles of a line\ntypedef ") +
         (precision == Precision::f64 ? "double" : "float") + " Real;" + twiddle_text;
}

TwiddleShape twiddle_shape(const Box& box, const reshape::Strides& strides, int axis, Index points,
                           Direction direction) {
  TwiddleShape shape;
  shape.ndim = box.ndim;
  shape.p_axis = axis;
  shape.q_axis = axis + 1;
  shape.count = box.count();
  for (int d = 0; d < box.ndim; ++d) {
    shape.extents[d] = box.extent(d);
    shape.strides[d] = strides[at(d)];
  }
  shape.p_begin = box.begin[at(axis)];
  shape.q_begin = box.begin[at(axis + 1)];
  shape.points = points;
  shape.sign = direction == Direction::forward ? -1.0 : 1.0;
  return shape;
}

}  // namespace weft::gpu
