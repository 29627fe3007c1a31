// SPDX-License-Identifier: BSD-3-Clause
// The text of a GPU recipe, as wisdom keeps it. Input: a transform (see small_transform) on the
// first line, a recipe after it. A recipe that parses and fits must be emitted without complaint;
// that it computes the transform is tested in tests/unit/gpu, where kernels are compiled.
#include "fuzz/target.hpp"
#include "gpu/emit/emit_kernel.hpp"
#include "gpu/recipe/fits.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "problem/request.hpp"

namespace weft::fuzz {
namespace {

void check_recipe(std::string_view text) {
  const auto [first, rest] = first_line(text);
  const auto transform = small_transform(first);
  if (!transform) return;
  gpu::Recipe recipe;
  try {
    const auto problem = problem::check_request(*transform, {}, {}).problem;
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
