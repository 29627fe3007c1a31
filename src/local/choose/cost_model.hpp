// SPDX-License-Identifier: BSD-3-Clause
// What a recipe costs, in nanoseconds: good enough to rank recipes, no better. Arithmetic comes
// from operation counts and registers. Memory comes from cache lines: how many are brought in, from
// which level, and whether a line that is used in pieces is still there for its next piece.
#pragma once

#include "local/axis/axis_engine.hpp"
#include "local/axis/axis_recipe.hpp"
#include "local/choose/machine_model.hpp"

namespace weft::local {

/// Who does a problem, and where.
struct Setting {
  Precision precision = Precision::f64;  ///< of the arithmetic
  int threads = 1;                       ///< that run at the same time
  int workers = 1;        ///< threads that share this problem; the others have their own
  bool in_place = false;  ///< the output overwrites the input
  /// The arrays are not in any cache, however small the problem is: it is a tile of a larger one.
  bool from_memory = false;
  /// Another axis reads the output next, and the third cache would still hold it.
  bool read_again = false;
};

/// All transforms of the problem, in nanoseconds from start to end.
double axis_ns(const AxisRecipe& recipe, const AxisProblem& problem, const Setting& setting,
               const MachineModel& machine);

}  // namespace weft::local
