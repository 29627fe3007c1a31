// SPDX-License-Identifier: BSD-3-Clause
// Lengths and strides as FFTW's interfaces give them, as dimensions of a Problem. All functions
// return nothing for what makes no sense; a plan of that is NULL.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dropins/fftw/problem.hpp"

namespace weft::fftw {

using Dimensions = std::optional<std::vector<Dimension>>;

/// One side of the advanced interface: the array that the transformed one is a part of (null: the
/// same), the distance of neighbours along the last axis, and that between two transforms.
struct Side {
  const int* embed = nullptr;
  Index stride = 1, distance = 0;
};

/// The axes of a row-major array; for r2c and c2r, sides that name no larger array have n/2+1
/// complex numbers along the last axis, and n reals, or 2(n/2+1) in place.
Dimensions row_major(Kind kind, int rank, const int* n, const Side& in, const Side& out,
                     bool in_place);

/// The dimensions of the guru interfaces.
template <class IoDim>
Dimensions guru(int rank, const IoDim* dims) {
  if (rank < 0 || (rank > 0 && dims == nullptr)) return {};
  std::vector<Dimension> dimensions;
  for (int d = 0; d < rank; ++d) dimensions.push_back({dims[d].n, dims[d].is, dims[d].os});
  return dimensions;
}

/// Kinds of real-to-real transforms, one per axis.
std::optional<std::vector<R2r>> kinds_of(int rank, const R2rKind* kinds);

}  // namespace weft::fftw
