// SPDX-License-Identifier: BSD-3-Clause
// FFTW's distributions over ranks: blocks along the first dimension, or along the second one of an
// array that is stored transposed. Independent of MPI and of the precision.
#pragma once

#include <vector>

#include "weft/distribution.hpp"

namespace weft::fftw {

/// Which indices of a dimension a rank holds.
struct Part {
  Index count = 0, start = 0;
};

/// FFTW's default block, ceil(n / ranks), for 0 and less.
Index block_or_default(Index n, Index block, int ranks);
/// Blocks of equal size on the first ranks, the rest on the next one, nothing on the others.
Part part_of(Index n, Index block, int rank);

/// One side of a distributed transform.
struct SlabSide {
  std::vector<Index> shape;  ///< of the whole array, in the order that the user gave
  bool transposed = false;   ///< dimension 1 is distributed and stored first
  Index block = 0;           ///< of the distributed dimension; 0: default
  Index row = 0;             ///< elements of memory per row of the last dimension; 0: as the shape
  Index howmany = 1;         ///< adjacent numbers per point
  bool locally_transposed = false;  ///< matrices only: the distributed dimension is stored last
};

/// False if the ranks cannot hold blocks of that size.
bool fits(const SlabSide& side, int ranks);
/// This rank's box; its dimensions are those of the shape and one for `howmany`.
LocalBoxes boxes_of(const SlabSide& side, int ranks, int rank);

}  // namespace weft::fftw
