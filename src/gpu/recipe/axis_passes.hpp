// SPDX-License-Identifier: BSD-3-Clause
// The passes that transform one axis after another: each axis in one pass or, through a scratch
// array, in several parts or as a convolution.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "gpu/recipe/line_pass.hpp"
#include "gpu/recipe/problem.hpp"
#include "gpu/recipe/recipe.hpp"

namespace weft::gpu {

/// Makes the pass over some lines; nothing where it cannot.
using PassMaker = std::function<std::optional<TilePass>(const LineProblem&)>;

/// Collects the passes of a recipe. The functions add the passes of the axis that was begun and
/// return true; if `make` cannot make one of them, they add nothing and return false.
class AxisPasses {
 public:
  explicit AxisPasses(const ArrayProblem& problem);

  void begin(int axis, Place from, Place to);
  const LineProblem& line() const { return line_; }  ///< the axis that was begun
  /// Whether the axis may be taken in parts: no dimension is in blocks, and all points are there.
  bool may_be_split() const {
    return !problem_.has_blocks() && line_.in_kept == 0 && line_.out_kept == 0;
  }

  bool in_one(const PassMaker& make);
  /// n = n1 n2: the first part over n1 at distance n2, then the second with its twiddles.
  /// `by_columns`: the scratch array lies so that the first writes whole tiles, where the axis is
  /// contiguous and complex.
  bool in_two(Index n1, bool by_columns, const PassMaker& make);
  /// A real axis of n = 2 h points, h = n1 n2, as a complex one of h.
  bool in_two_halved(Index n1, const PassMaker& make);
  /// n = n1 n2 n3 of a complex axis: the first part applies the twiddles to what it writes, the
  /// rest is split as above, within the scratch array.
  bool in_three(Index n1, Index n2, const PassMaker& make);
  /// Bluestein: any n, as a convolution of m >= 2 n - 1 points.
  bool as_convolution(Index m, const PassMaker& make);
  /// The same with m = m1 m2 points: columns, rows, rows back, columns back.
  bool as_long_convolution(Index m1, Index m2, const PassMaker& make);

  /// With all axes done.
  Recipe finished();

 private:
  struct Part {
    LineProblem line;
    Place from, to;
  };
  Index stride(int d, Place place) const;
  Blocks blocks(int d, Place place) const;
  Index points_so_far(int d) const;
  void add_loops(int d, std::vector<Loop>& loops) const;
  std::vector<Index> scratch_strides(Index n) const;
  void lead_through(LineProblem& line, Index Loop::* side, const std::vector<Index>& scratch) const;
  Index wanted_outputs() const;
  bool add(const std::vector<Part>& parts, Index scratch_elements, const PassMaker& make);
  bool add_by_columns(const LineProblem& first, LineProblem second, Index scratch_elements,
                      const PassMaker& make);

  const ArrayProblem& problem_;
  std::vector<Dimension> dimensions_;  ///< in elements
  std::vector<Index> workspace_;
  std::vector<bool> is_begun_;  ///< by dimension: it is transformed, or the axis that was begun
  int axis_ = 0;
  Place from_ = Place::input, to_ = Place::output;
  LineProblem line_;
  Recipe recipe_;
};

}  // namespace weft::gpu
