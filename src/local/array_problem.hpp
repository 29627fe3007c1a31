// SPDX-License-Identifier: BSD-3-Clause
// A transform of an array with all its strides: what the public Plan asks the local stage to do.
#pragma once

#include <string>
#include <vector>

#include "local/axis_engine.hpp"
#include "weft/plan.hpp"

namespace weft::local {

/// One dimension. Strides in reals of the stored type.
struct Dimension {
  Index n = 1;  ///< logical extent; the real one for the halved axis of r2c and c2r
  Index in = 0, out = 0;
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

struct ArrayProblem {
  Kind kind = Kind::c2c;
  Precision precision = Precision::f64;
  Direction direction = Direction::forward;
  double scale = 1.0;
  std::vector<Dimension> dimensions;
  std::vector<int> axes;  ///< transformed; r2c and c2r halve the last of them
  std::vector<R2r> r2r;   ///< one per axis, kind r2r only

  int halved_axis() const { return kind == Kind::r2c || kind == Kind::c2r ? axes.back() : -1; }
  /// Extent of a dimension on the half-complex side.
  Index half_extent(int d) const {
    const Index n = dimensions[static_cast<std::size_t>(d)].n;
    return d == halved_axis() ? n / 2 + 1 : n;
  }
  Index in_extent(int d) const {
    return kind == Kind::c2r ? half_extent(d) : dimensions[static_cast<std::size_t>(d)].n;
  }
  Index out_extent(int d) const {
    return kind == Kind::r2c ? half_extent(d) : dimensions[static_cast<std::size_t>(d)].n;
  }
  /// Reals per element.
  Index in_width() const { return kind == Kind::r2c || kind == Kind::r2r ? 1 : 2; }
  Index out_width() const { return kind == Kind::c2r || kind == Kind::r2r ? 1 : 2; }

  friend bool operator==(const ArrayProblem&, const ArrayProblem&) = default;
};

/// One line that names the problem: the key of wisdom.
std::string to_text(const ArrayProblem& problem);

/// Which memory an axis of the recipe reads or writes.
enum class Place { input, output, temporary };

/// The transforms along one axis as one step of the array's recipe does them.
struct AxisTask {
  int axis = 0;  ///< index into dimensions
  Place from = Place::input, to = Place::output;
  AxisProblem problem;  ///< within one tile
};

/// Axes that are done together, tile by tile, so that a tile stays in cache in between.
struct TileTask {
  std::vector<Loop> outer;  ///< loops over tiles: distances on the side of the first axis's input
                            ///< (in) and of the output (out)
  std::vector<Loop> outer_middle;  ///< the same on the side the later axes work on
  std::vector<AxisTask> axes;
};

/// How the problem is cut, independent of how each axis is done. `tile_bytes` bounds a fused tile.
std::vector<TileTask> cut_into_tiles(const ArrayProblem& problem, double tile_bytes);

/// Reals of the temporary that c2r in several dimensions needs, 0 otherwise.
Index temporary_reals(const ArrayProblem& problem);

}  // namespace weft::local
