// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/tune_ranks.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "api/network.hpp"
#include "global/recipe/recipe.hpp"
#include "global/recipe/recipe_text.hpp"
#include "problem.hpp"
#include "problem/request.hpp"
#include "text.hpp"
#include "timing.hpp"

namespace weft::tool {
namespace {

std::vector<Index> shape_of(const Transform& transform, bool output) {
  const problem::ArrayProblem problem = problem::check_request(transform, {}, {}).problem;
  return output ? problem.out_shape() : problem.in_shape();
}

}  // namespace

nlohmann::json tune_ranks(const std::vector<std::pair<Transform, PlanOptions>>& todo,
                          const Comm& comm, bool json_only) {
  const bool speaks = comm.rank() == 0 && !json_only;
  const api::Network network = api::measured_network(comm);
  if (speaks)
    fmt::print("{}, {}: {}\n", comm.transport(), global::topology_text(comm.nodes()),
               to_text(network.model));
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [transform, options] : todo) {
    const Stopwatch watch;
    const DistributedPlan plan(transform,
                               slabs(shape_of(transform, false), 0, comm.size(), comm.rank()),
                               slabs(shape_of(transform, true), 0, comm.size(), comm.rank()), comm,
                               {.effort = options.effort,
                                .threads = options.threads,
                                .time_limit_s = options.time_limit_s});
    const double planning = watch.seconds();
    if (speaks)
      fmt::print("{:<40} {} ranks: {}\n", describe(transform), comm.size(), plan.explain());
    rows.push_back({{"transform", describe(transform)},
                    {"ranks", comm.size()},
                    {"recipe", plan.recipe()},
                    {"planning_s", planning}});
  }
  return {{"network", to_text(network.model)}, {"tuned", rows}};
}

}  // namespace weft::tool
