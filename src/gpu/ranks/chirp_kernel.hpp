// SPDX-License-Identifier: BSD-3-Clause
// The products of a chirp plan on a GPU: the twin of global/line/chirp_steps.cpp.
#pragma once

#include <string>

#include "global/line/chirp_steps.hpp"
#include "gpu/device/element_kernel.hpp"

namespace weft::gpu {

/// The texts for one element, see element_kernel.hpp. f32 or f64.
std::string emit_chirp(Precision precision);
std::string emit_product(Precision precision);

struct ChirpArguments {
  const void* in;
  void* out;
  int ndim, axis, from_reals, to_reals;
  Index extents[max_box_ndim], from[max_box_ndim], to[max_box_ndim];
  Index begin, n;    ///< of the box along the axis; points of the line
  double sign;       ///< -1 where w is exp(-2 pi i / 2n)
  double conjugate;  ///< -1 where the input is conjugated, else 1
  double scale;
};
ChirpArguments chirp_arguments(const global::ChirpLine& line, const global::ChirpProduct& product,
                               const std::byte* in, std::byte* out);

struct ProductArguments {
  void* x;
  const void* y;
};

std::unique_ptr<global::ChirpSteps> make_cuda_chirp_steps(const global::ChirpLine& line,
                                                          const GpuDevice& device, Stream stream);

}  // namespace weft::gpu
