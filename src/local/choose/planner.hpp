// SPDX-License-Identifier: BSD-3-Clause
// Chooses the recipe of an array problem: the caller's, wisdom's, the cost model's, or the fastest
// of those timed.
#pragma once

#include "local/array/array_cut.hpp"
#include "tune/choose.hpp"
#include "weft/executor.hpp"

namespace weft::local {

class Timers;

struct Choice {
  Effort effort = Effort::estimate;
  double time_limit_s = 10;  ///< what likely takes longer is not begun
  std::shared_ptr<const Executor> executor = nullptr;
  bool use_wisdom = true;
  std::string recipe = {};  ///< the caller's own; empty: choose one
  double byte_s = 0.3e-9;   ///< to fill a byte of new memory: the system maps its pages
  std::shared_ptr<const Timers> timers = nullptr;  ///< null: run the recipes and read the clock
};

tune::Wishes wishes_of(const Choice& choice);

/// Throws weft::Error (invalid_argument) where the caller's own recipe is refused. Plans and the
/// stages of distributed plans look up wisdom by the same name: the problem and the threads.
ArrayRecipe choose_recipe(const ArrayProblem& problem, const Choice& choice);

/// A candidate, for an axis or for the array: what the cost model says of it, and what a clock
/// says.
template <class Recipe>
struct Rated {
  Recipe recipe;
  double predicted_s = 0;
  double measured_s = 0;
};
struct AxisComparison {
  AxisTask task;
  int workers = 1;                            ///< threads that share the transforms of one tile
  std::vector<Rated<AxisRecipe>> candidates;  ///< by the model's order
};
struct Comparison {
  std::vector<AxisComparison> axes;      ///< of the usual cut; equal ones once
  std::vector<Rated<ArrayRecipe>> cuts;  ///< whole arrays, by the model's order
};
/// The candidates for every axis and for the cut of the array, predicted and timed. Times as many
/// as a plan of this effort does: the best by the model, or all with Effort::patient.
Comparison compare_candidates(const ArrayProblem& problem, const Choice& choice);

}  // namespace weft::local
