// SPDX-License-Identifier: BSD-3-Clause
// Chooses the recipe of an array problem: by the cost model, or by timing the best candidates.
#pragma once

#include "local/array_recipe.hpp"
#include "weft/executor.hpp"

namespace weft::local {

struct Choice {
  Effort effort = Effort::estimate;
  double time_limit_s = 10;
  std::shared_ptr<const Executor> executor;
};

ArrayRecipe choose_recipe(const ArrayProblem& problem, const Choice& choice);

}  // namespace weft::local
