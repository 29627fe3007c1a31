// SPDX-License-Identifier: BSD-3-Clause
// Some axes of an operator's transform as a plan of src/local: over a whole array, or over a tile.
#pragma once

#include <memory>
#include <vector>

#include "local/array/array_plan.hpp"
#include "spectral/operator_problem.hpp"

namespace weft::spectral {

/// How recipes of the sweeps are chosen.
struct OperatorChoice {
  Effort effort = Effort::estimate;
  double time_limit_s = 10;
  bool use_wisdom = true;
  std::shared_ptr<const Executor> executor;
};

template <class Real>
struct Sweep {
  problem::ArrayProblem problem;
  local::ArrayRecipe recipe;
  local::ArrayPlan<Real> plan;
};

/// The given axes of the operator's transform, forward or backward, on arrays that have `shape`
/// along all other dimensions.
Transform part_of(const OperatorProblem& problem, const std::vector<int>& axes,
                  const std::vector<Index>& shape, Direction direction);

problem::ArrayProblem array_problem(const Transform& transform,
                                    const std::vector<Index>& in_strides,
                                    const std::vector<Index>& out_strides, double scale);

local::ArrayRecipe choose_recipe(const problem::ArrayProblem& problem,
                                 const OperatorChoice& choice);

template <class Real>
Sweep<Real> make_sweep(const problem::ArrayProblem& problem, const OperatorChoice& choice);

/// A sweep over a tile, by one thread, with the axes' recipes of the sweep over the whole array: on
/// its own a tile would be taken for an array that is in cache, and its lines would be fetched from
/// memory late and in pieces that are too narrow. Where these recipes do not fit, with its own.
enum class Stores { in_cache, past_caches };
template <class Real>
Sweep<Real> make_tile_sweep(const problem::ArrayProblem& tile, const local::ArrayRecipe& whole,
                            Stores stores, OperatorChoice choice);

/// Of fields between the sweeps: rows of whole cache lines, and an odd number of lines from one
/// point of the axis to the next. Columns along it then use all sets of a cache.
std::vector<Index> padded_strides(const std::vector<Index>& extents, int axis, Index line);

inline std::size_t up_to_line(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace weft::spectral
