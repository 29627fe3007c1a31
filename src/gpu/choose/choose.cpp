// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/choose/choose.hpp"

#include <algorithm>
#include <limits>

#include "base/format.hpp"
#include "gpu/choose/candidates.hpp"
#include "gpu/choose/tuner.hpp"
#include "gpu/device/engine.hpp"
#include "gpu/device/numbers.hpp"
#include "gpu/recipe/fits.hpp"
#include "gpu/recipe/r2r_steps.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "tune/choose.hpp"

namespace weft::gpu {
namespace {

/// Of the recipes, which are some, the first that the device has room for.
Recipe first_accepted(const std::vector<Recipe>& recipes, const GpuDevice& device) {
  const auto first =
      std::ranges::find_if(recipes, [&](const Recipe& recipe) { return accepts(device, recipe); });
  return first != recipes.end() ? *first : recipes.front();
}

class DeviceQuestion : public tune::Question<Recipe> {
 public:
  DeviceQuestion(const ArrayProblem& problem, const GpuDevice& device, std::size_t workspace_limit,
                 const TimeRecipes& time)
      : problem_(problem),
        device_(device),
        time_(time),
        numbers_(numbers_of(device)),
        limit_(workspace_limit),
        room_(workspace_room(problem, device, workspace_limit)) {}

  std::string name() const override { return to_text(problem_); }
  std::string device() const override { return device_.name; }
  std::string write(const Recipe& recipe) const override { return to_text(recipe); }

  Recipe read(const std::string& text) const override {
    const Recipe recipe = parse_recipe(text);
    check_fit(recipe, problem_, numbers_);
    if (workspace_bytes(recipe) > room_) refuse_workspace(workspace_bytes(recipe));
    return recipe;
  }

  std::vector<Recipe> candidates() const override {
    const std::vector<Recipe> all = gpu::candidates(problem_, numbers_);
    if (all.empty())
      throw Error(
          ErrorCode::unsupported,
          weft::format("GPU transform '{}': an axis is too long for this device to transform; use "
                       "lengths without large prime factors, or weft::Plan on the host",
                       name()));
    std::vector<Recipe> recipes = within(all, room_);
    if (recipes.empty()) {
      std::size_t least = std::numeric_limits<std::size_t>::max();
      for (const Recipe& recipe : all) least = std::min(least, workspace_bytes(recipe));
      refuse_workspace(least);
    }
    has_all_ = recipes.size() == all.size();
    const Recipe first = first_accepted(recipes, device_);
    recipes.erase(recipes.begin(), std::ranges::find(recipes, first));
    return recipes;
  }

  std::optional<Recipe> fastest(const std::vector<Recipe>& candidates,
                                const tune::Wishes& wishes) override {
    const Tuning tuning =
        time_(candidates, problem_, device_, tuning_limits(wishes.effort, wishes.time_limit_s));
    had_room_ = tuning.had_room;
    if (tuning.timed.empty()) return std::nullopt;  // no memory to try them in
    return tuning.timed.front().recipe;
  }
  bool is_lasting() const override { return had_room_ && has_all_; }

 private:
  [[noreturn]] void refuse_workspace(std::size_t bytes) const {
    const bool is_wish = room_ == limit_;
    throw Error(
        ErrorCode::out_of_memory,
        weft::format("GPU transform '{}': a workspace of {} bytes is needed, {} {}; {}", name(),
                     bytes, is_wish ? "PlanOptions::workspace_limit is" : "the device has room for",
                     room_, is_wish ? "allow more" : "transform in smaller batches"));
  }

  const ArrayProblem& problem_;
  const GpuDevice& device_;
  const TimeRecipes& time_;
  const DeviceNumbers numbers_;
  const std::size_t limit_, room_;
  mutable bool has_all_ = true;  ///< whether the room left no candidate out
  bool had_room_ = false;        ///< whether the last tuning had memory for every candidate
};

/// The memory of the dense arrays around the inner transforms of r2r; 0 for the others.
std::size_t bytes_around(const ArrayProblem& problem) {
  std::size_t most = 0;
  if (problem.kind == Kind::r2r)
    for (const R2rAxis& axis : r2r_axes(problem))
      most = std::max(most, axis.first_bytes + axis.second_bytes);
  return most;
}

}  // namespace

std::optional<TransformRecipe> first_recipe(const ArrayProblem& problem, const GpuDevice& device) {
  TransformRecipe first;
  for (const ArrayProblem& part : parts_of(problem)) {
    const std::vector<Recipe> recipes = candidates(part, numbers_of(device));
    if (recipes.empty()) return std::nullopt;
    first.parts.push_back(first_accepted(recipes, device));
  }
  return first;
}

TransformRecipe choose_recipe(const ArrayProblem& problem, const GpuDevice& device,
                              const cuda::PlanOptions& options, const TimeRecipes& time) {
  check_problem(problem);
  const std::size_t around = bytes_around(problem);
  if (around > options.workspace_limit)
    throw Error(ErrorCode::out_of_memory,
                weft::format("GPU transform '{}': a workspace of more than {} bytes is needed, "
                             "PlanOptions::workspace_limit is {}; allow more",
                             to_text(problem), around, options.workspace_limit));
  const std::vector<ArrayProblem> parts = parts_of(problem);
  std::vector<std::string> texts(parts.size());
  if (!options.recipe.empty()) try {
      texts = part_texts(options.recipe, problem);
    } catch (const Error& error) {
      throw Error(ErrorCode::invalid_argument, error.what());
    }
  TransformRecipe recipe;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    DeviceQuestion question(parts[i], device, options.workspace_limit - around, time);
    recipe.parts.push_back(
        tune::choose<Recipe>(
            question, {.effort = options.effort,
                       .time_limit_s = options.time_limit_s / static_cast<double>(parts.size()),
                       .use_wisdom = options.use_wisdom,
                       .recipe = texts[i]})
            .recipe);
  }
  return recipe;
}

}  // namespace weft::gpu
