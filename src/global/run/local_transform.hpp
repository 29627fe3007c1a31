// SPDX-License-Identifier: BSD-3-Clause
// One local transform, f32 or f64.
#pragma once

#include <variant>

#include "global/run/stage.hpp"
#include "local/array/array_plan.hpp"

namespace weft::global {

class LocalTransform {
 public:
  LocalTransform(const problem::ArrayProblem& problem, const StageOptions& options,
                 std::shared_ptr<const Executor> executor);

  void execute(const void* in, void* out, void* workspace) const {
    std::visit([&](const auto& plan) { plan.execute(in, out, workspace); }, plan_);
  }
  Index workspace_bytes() const {
    return std::visit([](const auto& plan) { return static_cast<Index>(plan.workspace_bytes()); },
                      plan_);
  }
  double flops() const { return flops_; }

 private:
  using Either = std::variant<local::ArrayPlan<float>, local::ArrayPlan<double>>;
  static Either build(const local::ArrayRecipe& recipe, const problem::ArrayProblem& problem,
                      std::shared_ptr<const Executor> executor);

  local::ArrayRecipe recipe_;
  Either plan_;
  double flops_;
};

}  // namespace weft::global
