// SPDX-License-Identifier: BSD-3-Clause
// heFFTe's boxes as weft's. heFFTe's direction d is weft's axis 2 - d, so that an array in heFFTe's
// usual order is row-major; a batch is one more axis before them.
#pragma once

#include <array>
#include <vector>

#include "dropins/heffte/include/weft_heffte.h"
#include "weft/distribution.hpp"

namespace weft::heffte {

constexpr int axis_of(int direction) { return 2 - direction; }

/// In weft's order of axes. Throws weft::Error if the storage order is not one.
Box box_of(const weft_heffte_box& box);
std::vector<int> order_of(const weft_heffte_box& box);

/// What all ranks ask for together.
struct World {
  std::array<Index, 3> extents{};   ///< of the points, in weft's order of axes
  std::array<Index, 3> spectrum{};  ///< of the output
  int ranks = 1;
};

/// Collective: gathers the boxes of all ranks. Throws the same weft::Error on all ranks if those of
/// a side do not make up an array, every element once, or the request makes no sense otherwise.
World agree_on_world(const weft_heffte_request& request, MPI_Comm comm);

/// One batch of a box as a rank's part of the array; none if it is empty.
LocalBoxes local_boxes(const weft_heffte_box& box, int batch);

}  // namespace weft::heffte
