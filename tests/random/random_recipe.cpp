// SPDX-License-Identifier: BSD-3-Clause
#include "random_recipe.hpp"

#include <algorithm>

#include "codelet/runtime/isa.hpp"
#include "local/array/array_fit.hpp"
#include "local/axis/axis_fit.hpp"
#include "local/choose/candidates.hpp"
#include "local/choose/cuts.hpp"
#include "problem/request.hpp"

namespace weft::test {
namespace {

template <class List>
const auto& one_of(Random& random, const List& list) {
  return list[static_cast<std::size_t>(random.between(0, static_cast<Index>(std::size(list)) - 1))];
}

/// Each type as often as another, however many candidates it has.
local::AxisRecipe of_any_type(Random& random, std::vector<local::AxisRecipe> candidates) {
  std::vector<local::AxisRecipe::Type> types;
  for (const local::AxisRecipe& candidate : candidates)
    if (std::ranges::find(types, candidate.type) == types.end()) types.push_back(candidate.type);
  const local::AxisRecipe::Type type = one_of(random, types);
  std::erase_if(candidates, [&](const auto& candidate) { return candidate.type != type; });
  return one_of(random, candidates);
}

local::AxisRecipe moved_to(local::AxisRecipe recipe, codelet::Isa isa) {
  recipe.isa = isa;
  for (local::AxisRecipe& inner : recipe.inner) inner = moved_to(inner, isa);
  return recipe;
}

}  // namespace

std::string random_recipe(const LocalCase& c, std::uint64_t seed) {
  Random random(seed ^ 0xec19e);
  const RunOptions& options = c.options;
  const problem::ArrayProblem problem =
      problem::check_request(c.transform, options.input, options.output, options.plan.in_place)
          .problem;
  local::ArrayRecipe recipe{one_of(random, local::candidate_cuts(problem, options.plan.threads)),
                            {}};
  const local::Setting setting{
      .precision = problem.precision == Precision::f64 ? Precision::f64 : Precision::f32,
      .threads = options.plan.threads};
  for (const local::TileTask& tile : local::tiles_of(problem, recipe.cut))
    for (const local::AxisTask& task : tile.axes)
      recipe.axes.push_back(of_any_type(random, local::axis_candidates(task.problem, setting)));
  for (local::AxisRecipe& axis : recipe.axes) {
    const local::AxisRecipe candidate = axis;
    axis = moved_to(candidate, one_of(random, codelet::available_isas()));
    if (!local::fits(recipe, problem)) axis = candidate;
  }
  return local::to_text(recipe);
}

}  // namespace weft::test
