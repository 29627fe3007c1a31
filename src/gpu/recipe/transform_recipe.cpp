// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/transform_recipe.hpp"

#include "base/format.hpp"
#include "gpu/recipe/cost.hpp"
#include "gpu/recipe/r2r_steps.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

constexpr std::string_view r2r_head = "r2r: ", separator = " || ";

/// Bytes that the steps before and after the inner transform read and write.
double step_bytes(const R2rAxis& axis, const ArrayProblem& problem) {
  double outer = static_cast<double>(real_bytes(problem.precision));
  for (const Dimension& d : problem.dimensions) outer *= static_cast<double>(d.n);
  return 2 * outer + static_cast<double>(array_bytes(axis.inner, false)) +
         static_cast<double>(array_bytes(axis.inner, true));
}

}  // namespace

std::vector<ArrayProblem> parts_of(const ArrayProblem& problem) {
  if (problem.kind != Kind::r2r) return {problem};
  std::vector<ArrayProblem> parts;
  for (R2rAxis& axis : r2r_axes(problem)) parts.push_back(std::move(axis.inner));
  return parts;
}

std::string to_text(const TransformRecipe& recipe, const ArrayProblem& problem) {
  if (problem.kind != Kind::r2r) return to_text(recipe.parts.front());
  std::string text;
  for (const Recipe& part : recipe.parts)
    text += std::string(text.empty() ? r2r_head : separator) + to_text(part);
  return text;
}

std::vector<std::string> part_texts(std::string_view text, const ArrayProblem& problem) {
  if (problem.kind != Kind::r2r) return {std::string(text)};
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::wisdom,
                "the text is not the recipe of a GPU transform '" + to_text(problem) + "': " + why);
  };
  if (!text.starts_with(r2r_head)) refuse("it does not begin with 'r2r: '");
  text.remove_prefix(r2r_head.size());
  std::vector<std::string> texts;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find(separator);
    texts.emplace_back(text.substr(0, end));
    if (end != std::string_view::npos) text.remove_prefix(end + separator.size());
  }
  if (texts.size() != problem.axes.size())
    refuse(weft::format("it has {} axes, the transform {}", texts.size(), problem.axes.size()));
  return texts;
}

TransformRecipe parse_transform_recipe(std::string_view text, const ArrayProblem& problem) {
  TransformRecipe recipe;
  for (const std::string& part : part_texts(text, problem))
    recipe.parts.push_back(parse_recipe(part));
  return recipe;
}

TransformCost cost_of(const TransformRecipe& recipe, const ArrayProblem& problem,
                      const DeviceNumbers& numbers) {
  TransformCost cost;
  for (const Recipe& part : recipe.parts) {
    for (const PlacedPass& placed : part.passes) cost.bytes += bytes_of(placed.pass);
    cost.passes += static_cast<int>(part.passes.size());
    cost.seconds += predicted_seconds(part, numbers);
  }
  if (problem.kind == Kind::r2r)
    for (const R2rAxis& axis : r2r_axes(problem)) {
      const double bytes = step_bytes(axis, problem);
      cost.bytes += bytes;
      cost.passes += 2;
      cost.seconds += bytes / numbers.copy_bytes_per_s;
    }
  return cost;
}

std::string explain(const TransformRecipe& recipe, const ArrayProblem& problem,
                    const DeviceNumbers& numbers) {
  if (problem.kind != Kind::r2r) return explain(recipe.parts.front(), numbers);
  std::string text;
  const std::vector<R2rAxis> axes = r2r_axes(problem);
  for (std::size_t i = 0; i < axes.size(); ++i)
    text += weft::format("axis {}: {} of {} points as {} of {}; {:.1f} MB before and after it\n",
                         problem.axes[i], to_string(axes[i].kind), axes[i].n,
                         to_string(axes[i].inner.kind),
                         axes[i].inner.dimensions[static_cast<std::size_t>(problem.axes[i])].n,
                         step_bytes(axes[i], problem) * 1e-6) +
            explain(recipe.parts[i], numbers);
  return text;
}

}  // namespace weft::gpu
