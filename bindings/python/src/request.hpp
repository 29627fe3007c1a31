// SPDX-License-Identifier: BSD-3-Clause
// One call of a function of scipy.fft as numbers: all that its plan depends on. The cache of plans
// looks it up by these numbers; only a call that is not found there makes a weft::Transform.
#pragma once

#include <vector>

#include "arguments.hpp"
#include "weft/plan.hpp"

namespace weft::python {

struct Request {
  Kind kind = Kind::c2c;
  Spectrum spectrum = Spectrum::half;
  Direction direction = Direction::forward;
  Scale scale = Scale::none;
  Precision precision = Precision::f64;
  R2r r2r = R2r::dct2;
  bool orthogonalize = false;
  bool in_place = false;
  bool is_padded = false;
  int threads = 1;
  int device = -1;  ///< of a GPU; -1: this CPU
  int ndim = 0;
  int axis_count = 0;
  std::array<int, max_ndim> axes;
  /// `shape` is the transform's, of its real side; strides count elements.
  std::array<npy_intp, max_ndim> shape, input_extents, output_extents, input_strides,
      output_strides;

  bool has_complex_input() const { return kind == Kind::c2c || kind == Kind::c2r; }
  bool has_complex_output() const { return kind == Kind::c2c || kind == Kind::r2c; }
  npy_intp point_count() const;  ///< of the transform and its batch

  Transform transform() const;
  Layout input_layout() const;
  Layout output_layout() const;
};

/// All numbers of a request that matter, in a row.
struct Key {
  std::array<npy_intp, 4 + 6 * max_ndim> numbers;
  int count = 0;
  std::size_t hash = 0;

  explicit Key(const Request& request);
  bool equals(const std::vector<npy_intp>& other) const;
};

/// Fills in the lengths that the caller left to the array, and from them the shapes of both sides.
/// `extents` are those of the input array.
void set_shapes(Request& request, const Axes& axes, const Array& input);

/// Strides of an array in elements; those of axes with one point are as if it were contiguous.
void set_strides(std::array<npy_intp, max_ndim>& strides, const Array& array);

}  // namespace weft::python
