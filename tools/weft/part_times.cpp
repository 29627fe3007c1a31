// SPDX-License-Identifier: BSD-3-Clause
#include "part_times.hpp"

#include "local/array/array_plan.hpp"
#include "problem.hpp"
#include "problem/request.hpp"
#include "timing.hpp"

namespace weft::tool {
namespace {

template <class Real>
std::vector<PartTime> time_parts_in(const Plan& plan, const local::ArrayProblem& problem,
                                    std::shared_ptr<const Executor> executor) {
  const local::ArrayRecipe recipe = local::parse_array_recipe(plan.recipe());
  const local::ArrayPlan<Real> same_plan(recipe, problem, std::move(executor));
  Buffer<std::byte> in(static_cast<Index>(input_bytes(plan)));
  Buffer<std::byte> out(static_cast<Index>(output_bytes(plan)));
  fill_random(in.data(), input_bytes(plan), problem.precision);
  Workspace workspace = plan.make_workspace();
  constexpr int rounds = 7;  // after one to warm up
  std::vector<std::vector<double>> times(static_cast<std::size_t>(same_plan.parts()));
  for (int round = 0; round <= rounds; ++round)
    for (std::size_t part = 0; part < times.size(); ++part) {
      const Stopwatch watch;
      same_plan.execute_part(static_cast<int>(part), in.data(), out.data(), workspace.data());
      if (round > 0) times[part].push_back(watch.seconds());
    }
  const auto steps = static_cast<int>(recipe.cut.steps.size());
  const int copies = static_cast<int>(local::copies_of(problem, recipe.cut).size());
  std::vector<PartTime> result;
  for (int part = 0; part < same_plan.parts(); ++part) {
    const std::string name = part < copies           ? "copy"
                             : part < copies + steps ? "step " + std::to_string(part - copies + 1)
                                                     : "other half";
    result.push_back({name, median(times[static_cast<std::size_t>(part)])});
  }
  return result;
}

}  // namespace

std::vector<PartTime> time_parts(const Plan& plan, const PlanOptions& options) {
  const local::ArrayProblem problem = problem::check_request(plan.transform(), {}, {}).problem;
  if (problem.is_empty() || problem.axes.empty()) return {};
  const auto executor = options.threads == 1 ? serial_executor() : openmp_executor(options.threads);
  if (problem.precision == Precision::f64) return time_parts_in<double>(plan, problem, executor);
  return time_parts_in<float>(plan, problem, executor);
}

}  // namespace weft::tool
