// SPDX-License-Identifier: BSD-3-Clause
#include "local/lane/lane_recipe.hpp"

#include <cmath>

#include "codelet/runtime/registry.hpp"

namespace weft::local {

LaneRecipe lane_passes(std::vector<int> radices) {
  Index n = 1;
  for (int r : radices) n *= r;
  return {LaneRecipe::Type::passes, n, std::move(radices), {}};
}
LaneRecipe lane_split(int radix, LaneRecipe inner) {
  return {LaneRecipe::Type::split, radix * inner.n, {radix}, {std::move(inner)}};
}
LaneRecipe lane_rader(Index n, LaneRecipe inner) {
  return {LaneRecipe::Type::rader, n, {}, {std::move(inner)}};
}
LaneRecipe lane_bluestein(Index n, LaneRecipe inner) {
  return {LaneRecipe::Type::bluestein, n, {}, {std::move(inner)}};
}

namespace {

void describe_passes(RecipeText& text, LaneRecipe& recipe) {
  std::vector<int> radices = recipe.radices.empty() ? std::vector<int>{1} : recipe.radices;
  text.list(radices, ".", [&](int& radix) { text.number(radix, 1, tune::largest_radix); });
  if (!text.is_reading()) return;
  Index n = 1;
  for (int radix : radices) n = text.product(n, radix);
  std::erase(radices, 1);
  recipe = lane_passes(std::move(radices));
}

/// Whether the inner recipe has the length that the outer one needs.
void check_inner(const RecipeText& text, LaneRecipe& recipe) {
  const LaneRecipe& inner = recipe.inner[0];
  if (recipe.type == LaneRecipe::Type::split)
    recipe.n = text.product(recipe.radices[0], inner.n);
  else if (recipe.type == LaneRecipe::Type::rader && inner.n != recipe.n - 1)
    text.fail("Rader's convolution has n - 1 points");
  else if (recipe.type == LaneRecipe::Type::bluestein && inner.n < 2 * recipe.n - 1)
    text.fail("Bluestein's convolution has 2 n - 1 points or more");
}

}  // namespace

void describe(RecipeText& text, LaneRecipe& recipe) {
  using enum LaneRecipe::Type;
  static constexpr tune::Name<LaneRecipe::Type> names[] = {
      {split, "split("}, {rader, "rader("}, {bluestein, "bluestein("}};
  const RecipeText::Level level(text);
  if (!text.one_of<LaneRecipe::Type>(names, recipe.type)) return describe_passes(text, recipe);
  recipe.inner.resize(1);
  if (recipe.type == split) {
    recipe.radices.resize(1);
    text.number(recipe.radices[0], 2, tune::largest_radix);
  } else {
    text.number(recipe.n, recipe.type == rader ? 2 : 1, tune::longest_transform);
  }
  text.word(",");
  describe(text, recipe.inner[0]);
  text.word(")");
  if (text.is_reading()) check_inner(text, recipe);
}

std::string to_text(const LaneRecipe& recipe) {
  return tune::print_recipe(recipe, [](RecipeText& text, LaneRecipe& r) { describe(text, r); });
}

LaneRecipe parse_lane_recipe(std::string_view& text) {
  RecipeText reader(text);
  LaneRecipe recipe;
  describe(reader, recipe);
  text = reader.rest();
  return recipe;
}

namespace {

/// Real operations of the DFT kernel of that radix; every instruction set counts the same.
double kernel_flops(int radix) {
  const codelet::CompiledKernel* kernel = codelet::find_kernel(
      {.radix = radix, .in = codelet::KernelLayout::planar, .out = codelet::KernelLayout::planar});
  if (kernel == nullptr) return 5.0 * radix * std::log2(radix);
  return kernel->count.additions + kernel->count.multiplications + 2.0 * kernel->count.fused;
}

}  // namespace

double flops(const LaneRecipe& recipe) {
  const double n = static_cast<double>(recipe.n);
  switch (recipe.type) {
    case LaneRecipe::Type::passes: {
      double total = 0;
      bool first = true;
      for (int r : recipe.radices) {
        const double twiddles = first ? 0 : 6.0 * (r - 1) / r;
        total += n * (kernel_flops(r) / r + twiddles);
        first = false;
      }
      return total;
    }
    case LaneRecipe::Type::split: {
      const int r = recipe.radices[0];
      return r * flops(recipe.inner[0]) + n * (kernel_flops(r) + 6.0 * (r - 1)) / r;
    }
    case LaneRecipe::Type::rader: return 2 * flops(recipe.inner[0]) + 6 * (n - 1) + 4;
    case LaneRecipe::Type::bluestein:
      return 2 * flops(recipe.inner[0]) + 6.0 * static_cast<double>(recipe.inner[0].n) + 12 * n;
  }
  return 0;
}

formula::Formula formula_of(const LaneRecipe& recipe) {
  using namespace formula;
  if (recipe.type == LaneRecipe::Type::split) {
    const Index r = recipe.radices[0], m = recipe.inner[0].n;
    return compose({tensor({dft(r), identity(m)}), twiddles(recipe.n, m),
                    tensor({identity(r), formula_of(recipe.inner[0])}),
                    stride_permutation(recipe.n, r)});
  }
  if (recipe.type != LaneRecipe::Type::passes || recipe.radices.size() <= 1) return dft(recipe.n);
  // The passes run innermost first: the last radix is the outermost factor.
  const Index r = recipe.radices.back();
  const LaneRecipe rest = lane_passes({recipe.radices.begin(), recipe.radices.end() - 1});
  return compose({tensor({dft(r), identity(rest.n)}), twiddles(recipe.n, rest.n),
                  tensor({identity(r), formula_of(rest)}), stride_permutation(recipe.n, r)});
}

}  // namespace weft::local
