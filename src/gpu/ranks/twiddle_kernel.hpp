// SPDX-License-Identifier: BSD-3-Clause
// The factors between the two transforms of a line that was written as a matrix, on a GPU: the twin
// of global/line/line_twiddles.hpp.
#pragma once

#include <string>

#include "gpu/device/element_kernel.hpp"
#include "reshape/piece.hpp"
#include "weft/types.hpp"

namespace weft::gpu {

/// The text for one element, see element_kernel.hpp. f32 or f64.
std::string emit_twiddle(Precision precision);

/// What the kernel is told: a box, where its elements lie, and how element (p, q) along two of its
/// axes is turned: by `sign` p q whole turns over the points of the line.
struct TwiddleShape {
  int ndim = 0, p_axis = 0, q_axis = 0;
  Index count = 0;
  Index extents[max_box_ndim] = {}, strides[max_box_ndim] = {};
  Index p_begin = 0, q_begin = 0;
  Index points = 0;
  double sign = 0;
};
/// Axes `axis` and `axis` + 1 of the box are p and q.
TwiddleShape twiddle_shape(const Box& box, const reshape::Strides& strides, int axis, Index points,
                           Direction direction);

struct TwiddleArguments {
  void* data;
  TwiddleShape shape;
};

class TwiddleKernel {
 public:
  TwiddleKernel(Precision precision, const GpuDevice& device)
      : kernel_(emit_twiddle(precision), device) {}
  void run(void* data, const TwiddleShape& shape, Stream stream) const {
    kernel_.run(TwiddleArguments{data, shape}, shape.count, stream);
  }

 private:
  ElementKernel kernel_;
};

}  // namespace weft::gpu
