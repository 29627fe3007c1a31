// SPDX-License-Identifier: BSD-3-Clause
// The global recipe: which axes are transformed where, and how the data gets from one place to the
// next. A value: printed, parsed, compared, priced, reversed; carried out by plan.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problem/array_problem.hpp"
#include "reshape/exchange.hpp"
#include "weft/distributed.hpp"

namespace weft::global {

using reshape::ArrayDistribution;
using reshape::ExchangeKind;

/// What is to be computed, the same on all ranks: the whole array, and where its parts lie. The
/// strides of its dimensions are not used.
struct GlobalProblem : problem::ArrayProblem {
  /// Boxes of every rank; an empty `output` leaves the place to the recipe.
  ArrayDistribution input = {}, output = {};
  bool output_is_free = false;  ///< the output stays where the last stage put it
  /// One side's boxes have two axes for the one that is transformed.
  std::optional<LineSplit> split = {};
  bool input_is_split = false, output_is_split = false;
  /// A line written as a matrix: between the transforms along axes `twiddled` and `twiddled` + 1
  /// element (p, q) is multiplied by w^(p q). The first of them is `twiddled`, unless
  /// `columns_first`.
  int twiddled = -1;
  bool columns_first = false;
  /// Whether every rank can reach the parts of the user's arrays that the others hold, so that
  /// shared exchanges may leave the data there.
  struct Reach {
    bool input = false, output = false;
    bool in_place = false;      ///< both are the same memory
    bool is_one_array = false;  ///< and every element has the same place in both
  };
  Reach reach = {};

  int ranks() const { return static_cast<int>(input.size()); }
  /// Of the distributions' boxes.
  std::vector<Index> input_shape() const;
  std::vector<Index> output_shape() const;
};

/// Shape of the side of a line problem whose boxes have two axes for the one that is transformed.
std::vector<Index> split_shape(const GlobalProblem& problem, const LineSplit& split);

/// Axes that are transformed while the array lies in one distribution.
struct Stage {
  enum class Where { input, grid, output };
  Where where = Where::grid;
  Grid grid = {};  ///< for Where::grid
  std::vector<int> axes = {};
  friend bool operator==(const Stage&, const Stage&) = default;
};

/// How a local transform of the stages is done on some ranks.
struct LocalChoice {
  std::string problem;          ///< array, axes and threads, as wisdom names them
  std::string recipe;           ///< of src/local, or of src/gpu
  std::vector<int> ranks = {};  ///< in order; empty: all that have such a transform
  friend bool operator==(const LocalChoice&, const LocalChoice&) = default;
};

/// Chunks of a pipelined exchange, at most.
inline constexpr int most_chunks = 1000;

struct Recipe {
  enum class Strategy { slab, pencil, brick, mixed, line, chirp };
  Strategy strategy = Strategy::slab;  ///< the file it comes from
  /// line, chirp: the matrix that the axis becomes; the stages speak of its axes. For a chirp it
  /// holds the longer line of a convolution.
  Index rows = 0, columns = 0;
  std::vector<Stage> stages;
  ExchangeKind exchange = ExchangeKind::all_to_all_v;
  int chunks = 1;  ///< of pipelined exchanges
  /// Bytes of the tiles by which a stage gathers, transforms and scatters pieces that are not one
  /// array; 0: half of a rank's L2 cache. See tile_shape() in run/stage.cpp.
  Index tile_bytes = 0;
  /// Local transforms whose recipe is not the cost model's first choice at its assumed speeds, by
  /// problem and rank.
  std::vector<LocalChoice> locals = {};

  bool is_matrix() const { return strategy == Strategy::line || strategy == Strategy::chirp; }
  friend bool operator==(const Recipe&, const Recipe&) = default;
};

/// Extents by which strategies cut: where an axis has fewer points on one side, the fewer.
std::vector<Index> cut_shape(const GlobalProblem& problem);

/// The recipe that undoes it: stages in reverse order, input and output exchanged.
Recipe reversed(Recipe recipe);

/// The problem whose recipe, reversed, solves this one: c2r becomes r2c, input and output change
/// places.
GlobalProblem mirrored(const GlobalProblem& problem);

/// Whether every rank holds the same elements in both.
bool same_boxes(const ArrayDistribution& a, const ArrayDistribution& b);

/// Whether the stages can be carried out: the first lies where the input lies, the last where the
/// output is wanted, those between hold every element once; every axis is transformed once, whole
/// where it is, the halved one first (last for c2r), a line's in their order; no grid has more
/// ranks than there are. For recipes of lines `problem` is the matrix.
bool stages_fit(const Recipe& recipe, const GlobalProblem& problem);

/// Distribution of a stage before or after its transforms.
ArrayDistribution distribution_of(const GlobalProblem& problem, const Stage& stage,
                                  std::span<const Index> shape);

/// Shape of the array before stage `index` of the recipe; after the last for index =
/// stages.size(). Axes that have been transformed have the extents of the output, others those of
/// the input.
std::vector<Index> shape_before(const GlobalProblem& problem, const Recipe& recipe,
                                std::size_t index);

}  // namespace weft::global
