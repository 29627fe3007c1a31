// SPDX-License-Identifier: BSD-3-Clause
// Three axes in two passes. The first transforms x and a part of another axis, the second the rest
// of that and the third: with N points, tiles of M1 and M2 points and contiguous runs of B points
// in memory that works as long as M1 M2 >= N B.
#pragma once

#include <optional>
#include <vector>

#include "gpu/recipe/device_numbers.hpp"
#include "gpu/recipe/problem.hpp"
#include "gpu/recipe/recipe.hpp"

namespace weft::gpu {

/// How the tiles of one pass are held on chip.
struct Holding {
  int cluster = 1;  ///< blocks that hold a tile together
  int points = 16;  ///< most points per thread
  int blocks = 1;   ///< per multiprocessor
  int threads = 0;  ///< of a block at most; 0: as many as suits the points
};

struct TwoPassOptions {
  Index first_points = 64;  ///< of the cut axis in the pass over x: the first, the last for c2r
  int columns = 16;         ///< adjacent x in a tile of the pass over columns
  Holding first = {}, second = {};  ///< of the pass over x, and that over columns
  bool is_reversed = true;          ///< the second pass starts where the first one ended
  bool half_shared = false;         ///< f16, see TilePass
  bool pairs = false;  ///< r2c, and always c2r: two real planes at once, see TilePass::pair
  /// Which axis is cut: the one with the greatest strides (true), or the middle one. The second
  /// pass writes all of the other one: if that has the greatest strides, a tile reaches over the
  /// whole array, and over more pages than the GPU's address translation can hold.
  bool cuts_far = true;
  bool by_columns = true;  ///< between the passes the columns of a tile lie together
};

std::optional<Recipe> two_pass_recipe(const ArrayProblem& problem, const TwoPassOptions& options);
/// None where the problem is not a contiguous 3-D array or its tiles would not fit.
std::vector<Recipe> two_pass_recipes(const ArrayProblem& problem, const DeviceNumbers& numbers);

/// Whether the recipe is one of these for the problem, whatever its radices, stages and threads.
bool is_two_pass(const ArrayProblem& problem, const Recipe& recipe);

}  // namespace weft::gpu
