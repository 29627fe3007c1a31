// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes the text of local recipes, as stored in wisdom. Input: a transform (see small_transform)
// on the first line, then a recipe. A recipe that is accepted must compute the transform.
#include "fuzz/target.hpp"
#include "local/array/array_fit.hpp"
#include "local/array/array_plan.hpp"
#include "problem/request.hpp"

namespace weft::fuzz {
namespace {

template <class Real>
std::vector<Real> reals_of(const test::Field& field, Index width) {
  std::vector<Real> reals;
  for (const test::LongComplex& value : field.values) {
    reals.push_back(static_cast<Real>(value.real()));
    if (width == 2) reals.push_back(static_cast<Real>(value.imag()));
  }
  return reals;
}

template <class Real>
void run_recipe(const Transform& transform, const problem::ArrayProblem& problem,
                const local::ArrayRecipe& recipe) {
  std::vector<Index> out_shape;
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d)
    out_shape.push_back(problem.out_extent(d));
  const test::Field input = input_for(transform);
  test::Field output(out_shape);
  const auto x = reals_of<Real>(input, problem.in_width());
  std::vector<Real> y(output.values.size() * static_cast<std::size_t>(problem.out_width()));

  const local::ArrayPlan<Real> plan(recipe, problem, serial_executor());
  const Workspace workspace(plan.workspace_bytes());
  plan.execute(x.data(), y.data(), workspace.data());

  for (std::size_t i = 0; i < output.values.size(); ++i)
    output.values[i] = problem.out_width() == 2 ? test::LongComplex(y[2 * i], y[2 * i + 1])
                                                : test::LongComplex(y[i], 0);
  check_output(transform, input, output, local::to_text(recipe));
}

void check_recipe(std::string_view text) {
  const auto [first, rest] = first_line(text);
  const auto transform = small_transform(first);
  if (!transform) return;
  problem::ArrayProblem problem;
  local::ArrayRecipe recipe;
  try {
    problem = problem::check_request(*transform, {}, {}).problem;
    recipe = local::parse_array_recipe(rest);
  } catch (const Error&) {
    return;  // refused
  }
  if (local::parse_array_recipe(local::to_text(recipe)) != recipe)
    fail("'" + std::string(rest) + "' is printed as '" + local::to_text(recipe) + "'");
  if (!local::fits(recipe, problem)) return;
  try {
    if (transform->precision == Precision::f64)
      run_recipe<double>(*transform, problem, recipe);
    else
      run_recipe<float>(*transform, problem, recipe);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory)
      fail("a recipe that fits was refused: " + std::string(error.what()));
  }
}

}  // namespace
}  // namespace weft::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzz::check_recipe(weft::fuzz::text_of(data, size));
  return 0;
}
