// SPDX-License-Identifier: BSD-3-Clause
// Times recipes on memory of the problem's own strides.
#pragma once

#include <span>

#include "local/array/array_cut.hpp"
#include "local/choose/cost_model.hpp"
#include "weft/executor.hpp"

namespace weft::local {

/// Would timing take more memory than it is worth?
bool is_too_large_to_time(const AxisProblem& problem);
bool is_too_large_to_time(const ArrayProblem& problem);

/// Seconds until one recipe has been timed: its memory is filled, at `byte_s` a byte, and it runs
/// three times.
double seconds_to_time(const AxisRecipe& recipe, const AxisProblem& problem, const Setting& setting,
                       double byte_s);
/// Seconds to fill the arrays of the problem.
double seconds_to_fill(const ArrayProblem& problem, double byte_s);

/// Seconds of each; infinity if the limit left no time for it. The setting says how many threads
/// work on the problem; the other threads do the same at the same time on memory of their own.
std::vector<double> time_recipes(std::span<const AxisRecipe> recipes, const AxisProblem& problem,
                                 const Setting& setting, const Executor& executor, double limit_s);
std::vector<double> time_recipes(std::span<const ArrayRecipe> recipes, const ArrayProblem& problem,
                                 const std::shared_ptr<const Executor>& executor, double limit_s);

/// How the planner times recipes. This one runs them; tests have others.
class Timers {
 public:
  virtual ~Timers() = default;
  virtual std::vector<double> axes(std::span<const AxisRecipe> recipes, const AxisProblem& problem,
                                   const Setting& setting, const Executor& executor,
                                   double limit_s) const {
    return time_recipes(recipes, problem, setting, executor, limit_s);
  }
  virtual std::vector<double> arrays(std::span<const ArrayRecipe> recipes,
                                     const ArrayProblem& problem,
                                     const std::shared_ptr<const Executor>& executor,
                                     double limit_s) const {
    return time_recipes(recipes, problem, executor, limit_s);
  }
};

}  // namespace weft::local
