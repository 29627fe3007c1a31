// SPDX-License-Identifier: BSD-3-Clause
// The text of a GPU recipe, as wisdom keeps it. Input: a transform (see small_transform) on the
// first line, a recipe after it. A recipe that parses and fits must be emitted without complaint,
// and so must the operator on several fields that follows from it, if one does; that they compute
// what they should is tested in tests/unit/gpu, where kernels are compiled.
#include "fuzz/target.hpp"
#include "gpu/emit/emit_kernel.hpp"
#include "gpu/recipe/fits.hpp"
#include "gpu/recipe/operator_recipe.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "problem/request.hpp"

namespace weft::fuzz {
namespace {

/// Two fields in, three out.
void emit_operator(const gpu::Recipe& recipe, const problem::ArrayProblem& problem) {
  const gpu::FieldCount fields{2, 3};
  const auto turned = operator_recipe(recipe, problem, fields);
  if (!turned || !holds_all_fields(*turned, {})) return;
  gpu::ModeGrid grid{.extents = problem.out_shape(), .axes = {}};
  for (const int axis : problem.axes) grid.axes.push_back({axis, problem.dimension(axis).n, 1});
  const gpu::ModeFunctionText function{
      .definition = "", .inputs = fields.inputs, .outputs = fields.outputs, .reads_waves = true};
  const auto& [forward, backward] = turned->turned;
  emit_turned_kernel({forward, backward, fields.most()}, grid, function);
  for (const auto* passes : {&turned->before, &turned->after})
    for (const gpu::PlacedPass& placed : *passes)
      emit_kernel(placed.pass, gpu::Geometry(placed.pass), gpu::Tables(placed.pass));
}

void check_recipe(std::string_view text) {
  const auto [first, rest] = first_line(text);
  const auto transform = small_transform(first);
  if (!transform) return;
  gpu::Recipe recipe;
  problem::ArrayProblem problem;
  try {
    problem = problem::check_request(*transform, {}, {}).problem;
    recipe = gpu::parse_recipe(rest);
    if (to_text(recipe) != rest)
      fail("'" + std::string(rest) + "' is printed as '" + to_text(recipe) + "'");
    check_fit(recipe, problem, {});
  } catch (const Error&) {
    return;  // refused
  }
  ++accepted;
  try {
    for (const gpu::PlacedPass& placed : recipe.passes)
      emit_kernel(placed.pass, gpu::Geometry(placed.pass), gpu::Tables(placed.pass));
    emit_operator(recipe, problem);
  } catch (const Error& error) {
    fail("a recipe that fits was refused: " + std::string(error.what()));
  }
}

}  // namespace
}  // namespace weft::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzz::check_recipe(weft::fuzz::text_of(data, size));
  return 0;
}
