// SPDX-License-Identifier: BSD-3-Clause
#include "global/run/local_transform.hpp"

#include "global/choose/local_tuner.hpp"
#include "local/array/array_report.hpp"
#include "local/array/reproducible.hpp"

namespace weft::global {
namespace {

local::ArrayRecipe choose(const problem::ArrayProblem& problem, const StageOptions& options,
                          const std::shared_ptr<const Executor>& executor) {
  if (options.reproducible) return local::reproducible_recipe(problem);
  if (options.tuner) return options.tuner->choose(problem, executor);
  return local::choose_recipe(problem, {.executor = executor});
}

}  // namespace

LocalTransform::Either LocalTransform::build(const local::ArrayRecipe& recipe,
                                             const problem::ArrayProblem& problem,
                                             std::shared_ptr<const Executor> executor) {
  if (problem.precision == Precision::f64)
    return local::ArrayPlan<double>(recipe, problem, std::move(executor));
  return local::ArrayPlan<float>(recipe, problem, std::move(executor));
}

LocalTransform::LocalTransform(const problem::ArrayProblem& problem, const StageOptions& options,
                               std::shared_ptr<const Executor> executor)
    : recipe_(choose(problem, options, executor)),
      plan_(build(recipe_, problem, executor)),
      flops_(local::cost_of(recipe_, problem, executor->concurrency()).flops) {}

}  // namespace weft::global
