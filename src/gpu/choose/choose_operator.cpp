// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/choose/choose_operator.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "gpu/choose/candidates.hpp"
#include "gpu/choose/tuner.hpp"
#include "gpu/device/numbers.hpp"
#include "gpu/device/operator_engine.hpp"
#include "gpu/recipe/cost.hpp"
#include "gpu/recipe/fits.hpp"
#include "gpu/recipe/problem.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "tune/choose.hpp"

namespace weft::gpu {
namespace {

/// Chooses a forward recipe, from which the operator follows. None if steps should be faster.
class OperatorQuestion : public tune::Question<Recipe> {
 public:
  OperatorQuestion(const OperatorRequest& request, const GpuDevice& device, std::size_t limit)
      : request_(request),
        device_(device),
        numbers_(numbers_of(device)),
        room_(workspace_room(request.forward, device, limit, request.fields().most())) {}

  std::string name() const override {
    const auto [inputs, outputs] = request_.fields();
    const bool is_one = inputs == 1 && outputs == 1;
    return (is_one ? "operator " : weft::format("operator {} to {} fields ", inputs, outputs)) +
           to_text(request_.forward);
  }
  std::string device() const override { return device_.name; }
  std::string write(const Recipe& recipe) const override { return to_text(recipe); }

  Recipe read(const std::string& text) const override {
    const Recipe recipe = parse_recipe(text);
    check_fit(recipe, request_.forward, numbers_);
    const auto turned = operator_recipe(recipe, request_.forward, request_.fields());
    if (!turned || !holds_all_fields(*turned, numbers_))
      throw Error(ErrorCode::invalid_argument,
                  weft::format("the recipe does not fit this operator: {}; pass the text of an "
                               "operator like this, or none to have one chosen",
                               turned ? "a block has no room for its tile of all fields"
                                      : "its last pass cannot be turned around"));
    if (workspace_bytes(*turned) > room_)
      throw Error(ErrorCode::out_of_memory,
                  weft::format("the recipe takes a workspace of {} bytes, there is room for {}",
                               workspace_bytes(*turned), room_));
    return recipe;
  }

  /// The fastest by the model first; empty if there are none.
  std::vector<Recipe> candidates() const override {
    if (!candidates_) candidates_ = found();
    return *candidates_;
  }

  std::optional<Recipe> fastest(const std::vector<Recipe>& candidates,
                                const tune::Wishes& wishes) override {
    std::vector<OperatorRecipe> turned;
    for (const Recipe& recipe : candidates)
      turned.push_back(*operator_recipe(recipe, request_.forward, request_.fields()));
    const auto best = fastest_operator(turned, request_, device_,
                                       tuning_limits(wishes.effort, wishes.time_limit_s));
    if (!best) return std::nullopt;
    return candidates[*best];
  }

 private:
  std::vector<Recipe> found() const {
    std::vector<std::pair<double, Recipe>> priced;
    std::vector<Recipe> forward = gpu::candidates(request_.forward, numbers_);
    const double steps_s = forward.empty() ? 0 : seconds_of_steps(forward.front());
    for (Recipe& recipe : forward)
      if (const auto turned = operator_recipe(recipe, request_.forward, request_.fields());
          turned && holds_all_fields(*turned, numbers_) && workspace_bytes(*turned) <= room_)
        priced.emplace_back(predicted_seconds(*turned, numbers_), std::move(recipe));
    std::erase_if(priced, [&](const auto& each) { return each.first > steps_s; });
    std::ranges::stable_sort(priced, {}, [](const auto& each) { return each.first; });
    std::vector<Recipe> recipes;
    for (auto& [seconds, recipe] : priced) recipes.push_back(std::move(recipe));
    const auto first = std::ranges::find_if(recipes, [&](const Recipe& recipe) {
      return accepts(device_, *operator_recipe(recipe, request_.forward, request_.fields()),
                     request_.grid, request_.function);
    });
    recipes.erase(recipes.begin(), first);
    return recipes;
  }

  /// A forward transform per input, a pass over all spectra, a backward transform per output.
  double seconds_of_steps(const Recipe& forward) const {
    const auto [inputs, outputs] = request_.fields();
    const auto spectrum = static_cast<double>(array_bytes(request_.forward, true));
    return (inputs + outputs) *
           (predicted_seconds(forward, numbers_) + spectrum / numbers_.copy_bytes_per_s);
  }

  const OperatorRequest& request_;
  const GpuDevice& device_;
  const DeviceNumbers numbers_;
  const std::size_t room_;
  mutable std::optional<std::vector<Recipe>> candidates_;  ///< once they were asked for
};

}  // namespace

std::optional<OperatorChoice> choose_operator(const OperatorRequest& request,
                                              const GpuDevice& device,
                                              const cuda::SpectralOptions& options) {
  OperatorQuestion question(request, device, options.workspace_limit);
  if (options.recipe.empty() && question.candidates().empty()) return std::nullopt;
  const Recipe forward = tune::choose<Recipe>(question, {.effort = options.effort,
                                                         .time_limit_s = options.time_limit_s,
                                                         .use_wisdom = options.use_wisdom,
                                                         .recipe = options.recipe})
                             .recipe;
  return OperatorChoice{forward, *operator_recipe(forward, request.forward, request.fields())};
}

}  // namespace weft::gpu
