// SPDX-License-Identifier: BSD-3-Clause
#include "local/lane_recipe.hpp"

#include <charconv>
#include <cmath>

#include "codelet/registry.hpp"
#include "weft/error.hpp"

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

std::string to_text(const LaneRecipe& recipe) {
  switch (recipe.type) {
    case LaneRecipe::Type::split:
      return "split(" + std::to_string(recipe.radices[0]) + "," + to_text(recipe.inner[0]) + ")";
    case LaneRecipe::Type::rader:
      return "rader(" + std::to_string(recipe.n) + "," + to_text(recipe.inner[0]) + ")";
    case LaneRecipe::Type::bluestein:
      return "bluestein(" + std::to_string(recipe.n) + "," + to_text(recipe.inner[0]) + ")";
    case LaneRecipe::Type::passes: break;
  }
  if (recipe.radices.empty()) return "1";
  std::string text;
  for (int r : recipe.radices) text += (text.empty() ? "" : ".") + std::to_string(r);
  return text;
}

namespace {

[[noreturn]] void bad_text(std::string_view text) {
  throw Error(ErrorCode::wisdom, "a recipe reads '" + std::string(text.substr(0, 40)) +
                                     "', which is not in weft's grammar; delete the wisdom file");
}

Index parse_number(std::string_view& text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 1) bad_text(text);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// "NUMBER,RECIPE)" after a word such as "rader(".
std::pair<Index, LaneRecipe> parse_arguments(std::string_view& text) {
  const Index number = parse_number(text);
  if (!take(text, ",")) bad_text(text);
  LaneRecipe inner = parse_lane_recipe(text);
  if (!take(text, ")")) bad_text(text);
  return {number, std::move(inner)};
}

}  // namespace

LaneRecipe parse_lane_recipe(std::string_view& text) {
  const std::string_view whole = text;
  if (take(text, "split(")) {
    auto [radix, inner] = parse_arguments(text);
    if (radix > 64) bad_text(whole);
    return lane_split(static_cast<int>(radix), std::move(inner));
  }
  if (take(text, "rader(")) {
    auto [n, inner] = parse_arguments(text);
    if (inner.n != n - 1) bad_text(whole);
    return lane_rader(n, std::move(inner));
  }
  if (take(text, "bluestein(")) {
    auto [n, inner] = parse_arguments(text);
    if (inner.n < 2 * n - 1) bad_text(whole);
    return lane_bluestein(n, std::move(inner));
  }
  std::vector<int> radices;
  do {
    const Index radix = parse_number(text);
    if (radix > 64) bad_text(whole);
    if (radix > 1) radices.push_back(static_cast<int>(radix));
  } while (take(text, "."));
  return lane_passes(std::move(radices));
}

namespace {

/// Real operations of the DFT kernel of that radix; every instruction set counts the same.
double kernel_flops(int radix) {
  const codelet::Kernel* kernel = codelet::find_kernel(
      {.radix = radix, .in = codelet::Layout::planar, .out = codelet::Layout::planar});
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
