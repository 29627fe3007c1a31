// SPDX-License-Identifier: BSD-3-Clause
// Real-to-real transforms on a GPU: each axis is a step before, a real or complex transform of a
// dense array, and a step after. The two steps combine elements of a line with factors from a
// table, so that all kinds share one kernel (device/r2r_kernel.hpp). The formulas are those of
// local/axis/r2r_engine.cpp, proved by the tests of src/formula/rules/trigonometric.cpp.
#pragma once

#include <vector>

#include "gpu/recipe/problem.hpp"

namespace weft::gpu {

/// One element that a step writes, from at most two that it reads. From reals x and y, at the
/// indices `first` and `second` of their line, to a real: a x + c y; to a complex number:
/// (a x + c y) + i (b x + d y). From a complex number z to a real: a Re z + b Im z.
struct R2rEntry {
  Index first = -1, second = -1;  ///< -1: none
  double a = 0, b = 0, c = 0, d = 0;
};

/// How one line is done.
struct R2rMethod {
  Kind kind = Kind::r2c;  ///< of the transform between the steps
  Direction direction = Direction::forward;
  Index points = 0;                               ///< its length
  std::vector<R2rEntry> before = {}, after = {};  ///< one per element written
};
R2rMethod r2r_method(R2r kind, Index n, bool orthogonalize = false);
/// Kind, direction and length alone, without tables.
R2rMethod r2r_inner(R2r kind, Index n);

/// More dimensions have no GPU form.
inline constexpr int most_r2r_dimensions = 12;

/// Where a step finds and puts the elements of an array; distances in elements of their types.
struct R2rSide {
  Index stride[most_r2r_dimensions] = {};
  Index length[most_r2r_dimensions] = {}, jump[most_r2r_dimensions] = {};  ///< blocks
};
/// The shape of one step as its kernel takes it. Extents are those of the array that is written.
struct R2rShape {
  int ndim = 0, axis = 0;
  Index count = 0;
  Index extents[most_r2r_dimensions] = {};
  R2rSide in = {}, out = {};
};

/// One axis of a problem.
struct R2rAxis {
  R2r kind = R2r::dct2;
  Index n = 0;
  bool orthogonalize = false;
  ArrayProblem inner = {};  ///< dense, unscaled; in place where it is c2c
  R2rShape before = {}, after = {};
  /// Of the dense arrays around the inner transform, in bytes, rounded up; the second is 0 for c2c.
  std::size_t first_bytes = 0, second_bytes = 0;
};
/// The axes in the order of `problem.axes`. The first reads the input, all write the output; the
/// others read it again.
std::vector<R2rAxis> r2r_axes(const ArrayProblem& problem);

}  // namespace weft::gpu
