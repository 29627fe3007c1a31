// SPDX-License-Identifier: BSD-3-Clause
// The whole local recipe: how the array is cut into steps, and one recipe per axis they transform.
// Chosen by choose/planner.cpp, carried out by array_plan.cpp, kept by wisdom as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "local/axis/axis_recipe.hpp"
#include "problem/array_problem.hpp"

namespace weft::local {

using problem::ArrayProblem;
using problem::Dimension;

/// An axis of n = n1 n2 points that two steps share. Index j = j1 n2 + j2 of the input; the part
/// `first` is DFT(n1) over j1, its output k1 times w^(k1 j2); the part `second` is DFT(n2) over j2;
/// index k = k1 + n1 k2 of the output.
struct Split {
  int axis = 0;
  Index first = 1, second = 1;  ///< n1, n2
  friend bool operator==(const Split&, const Split&) = default;
};

/// A dimension of the array, or a part of the one that is split. As text: "2", "0a", "0b".
struct AxisPart {
  enum class Part { whole, first, second };
  int dimension = 0;
  Part part = Part::whole;
  friend bool operator==(const AxisPart&, const AxisPart&) = default;
};
std::string to_text(const AxisPart& axis);

/// A dimension that is looped over outside of the tiles: each tile has `width` of its indices.
struct TileLoop {
  AxisPart over;
  Index width = 1;
  friend bool operator==(const TileLoop&, const TileLoop&) = default;
};

/// One sweep over the array, tile by tile; each tile is taken through all axes of the step.
struct StepCut {
  std::vector<AxisPart> axes;   ///< in the order they run
  std::vector<TileLoop> tiles;  ///< none: the whole array is one tile
  /// Every thread takes tiles of its own. Else all threads share the work within each tile.
  bool threads_outside = false;
  friend bool operator==(const StepCut&, const StepCut&) = default;
};

struct ArrayCut {
  std::optional<Split> split = {};
  std::vector<StepCut> steps = {};
  friend bool operator==(const ArrayCut&, const ArrayCut&) = default;
};

struct ArrayRecipe {
  ArrayCut cut;
  std::vector<AxisRecipe> axes;  ///< one per axis of the cut, in the order they run
  friend bool operator==(const ArrayRecipe&, const ArrayRecipe&) = default;
};

/// "axes 2 1 tiles 0 threads outside: avx2:lines(64); avx2:lanes(8.8,2) | axes 0: avx2:lanes(8.8)":
/// two steps; the first has a tile for each index of dimension 0 and shares tiles out to threads.
/// "tiles 0 2/8": tiles with 8 indices of dimension 2. "split 0 into 32 x 16 | ..." comes before
/// the steps of a split axis. "copy": no axis is transformed.
std::string to_text(const ArrayRecipe& recipe);
/// The inverse of to_text. Throws weft::Error (wisdom) for what is no recipe, on any machine; ask
/// misfit() whether it can be used on this one.
ArrayRecipe parse_array_recipe(std::string_view text);

}  // namespace weft::local
