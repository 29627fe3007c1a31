// SPDX-License-Identifier: BSD-3-Clause
// The steps of a cut with all their strides: which memory each axis reads and writes, and the loops
// around it. Nothing is decided here.
#pragma once

#include <optional>
#include <vector>

#include "local/array/array_recipe.hpp"
#include "local/axis/axis_engine.hpp"

namespace weft::local {

/// Which memory an axis of the recipe reads or writes.
enum class Place {
  input,
  output,
  temporary,  ///< between the passes
  copy,       ///< of the input, where the output is the same memory
};

/// The transforms along one axis as one step of the array's recipe does them.
struct AxisTask {
  AxisPart axis;
  Place from = Place::input, to = Place::output;
  AxisProblem problem;   ///< within one tile
  bool is_last = false;  ///< of the array
};

/// The factors w^(k1 j2) after the first part of a split axis. Tile number t has
/// j2 = t / period mod columns.
struct SplitTwiddles {
  Index rows = 0, columns = 0;  ///< n1, n2
  Index period = 1;
};

/// Axes that are done together, tile by tile, so that a tile stays in cache in between.
struct TileTask {
  std::vector<Loop> outer;  ///< loops over tiles: distances on the side of the first axis's input
                            ///< (in) and of the output (out)
  std::vector<Loop> outer_middle;  ///< the same on the side the later axes work on
  bool threads_outside = false;
  std::vector<AxisTask> axes;
  std::optional<SplitTwiddles> twiddles = {};  ///< of the axis whose problem is twiddled
};

/// The cut must suit the problem.
std::vector<TileTask> tiles_of(const ArrayProblem& problem, const ArrayCut& cut);

/// A sweep that only copies the input's elements. Distances in reals.
struct CopyTask {
  Place from = Place::input, to = Place::output;
  std::vector<Loop> loops;
};
/// Copies before all steps: if no axis is transformed, or if the output would overwrite input that
/// is still needed.
std::vector<CopyTask> copies_of(const ArrayProblem& problem, const ArrayCut& cut);

/// Stride of a dimension in reals.
Index stride_of(const ArrayProblem& problem, int dimension, Place place);
/// Whether imaginary parts lie in an array of their own.
bool is_split(const ArrayProblem& problem, Place place);

/// Reals of the temporary array, which c2r in several dimensions, split axes, cropped axes and
/// transforms in place with other strides may need (else 0), and of the copy of the input.
Index temporary_reals(const ArrayProblem& problem, const ArrayCut& cut);
Index copy_reals(const ArrayProblem& problem, const ArrayCut& cut);

}  // namespace weft::local
