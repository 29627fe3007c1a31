// SPDX-License-Identifier: BSD-3-Clause
// Chooses how the columns of a distributed line are transformed and multiplied by their factors:
// the caller's recipe, wisdom's, the cost model's, or the fastest of those timed, as planner.hpp
// does for arrays.
#pragma once

#include "local/axis/axis_recipe.hpp"
#include "local/axis/twiddled_columns.hpp"
#include "local/choose/planner.hpp"

namespace weft::local {

/// DFT(rows) down adjacent columns of some matrices; then element (p, q) times w^(p q), w of the
/// order `line`. Distances in reals.
struct ColumnsProblem {
  Precision precision = Precision::f64;
  Direction direction = Direction::forward;
  Index line = 0;
  Index rows = 1, columns = 1;
  Index in_row = 0, out_row = 0;
  Index matrices = 1;
};

/// "columns f64 forward 512:256:256 x 128 of 65536"; used as key in wisdom.
std::string to_text(const ColumnsProblem& problem);

/// Lanes with their groups, streaming or not. Throws as choose_recipe() does.
AxisRecipe choose_columns(const ColumnsProblem& problem, const Choice& choice);

/// `first` is the number q of the first column.
ColumnsRequest request_of(const ColumnsProblem& problem, const AxisRecipe& recipe, Index first);

double flops(const AxisRecipe& recipe, const ColumnsProblem& problem);

}  // namespace weft::local
