// SPDX-License-Identifier: BSD-3-Clause
#include "local/axis_recipe.hpp"

#include <charconv>
#include <cmath>

#include "codelet/line.hpp"
#include "weft/error.hpp"

namespace weft::local {

AxisRecipe axis_lanes(codelet::Isa isa, LaneRecipe lane, int groups, bool stream) {
  const Index n = lane.n;
  return {AxisRecipe::Type::lanes, isa, n, groups, stream, {std::move(lane)}, {}};
}
AxisRecipe axis_lines(codelet::Isa isa, Index n) {
  return {AxisRecipe::Type::lines, isa, n, 1, false, {}, {}};
}
AxisRecipe axis_real_kernel(codelet::Isa isa, Index n) {
  return {AxisRecipe::Type::real_kernel, isa, n, 1, false, {}, {}};
}
AxisRecipe axis_four_step(codelet::Isa isa, LaneRecipe columns, LaneRecipe rows) {
  const Index n = columns.n * rows.n;
  return {AxisRecipe::Type::four_step, isa, n, 1, false, {std::move(columns), std::move(rows)}, {}};
}
AxisRecipe axis_large(codelet::Isa isa, LaneRecipe columns, LaneRecipe rows, int groups,
                      bool stream) {
  const Index n = columns.n * rows.n;
  return {
      AxisRecipe::Type::large, isa, n, groups, stream, {std::move(columns), std::move(rows)}, {}};
}
AxisRecipe axis_rader(Index n, AxisRecipe inner) {
  return {AxisRecipe::Type::rader, inner.isa, n, 1, false, {}, {std::move(inner)}};
}
AxisRecipe axis_bluestein(Index n, AxisRecipe inner) {
  return {AxisRecipe::Type::bluestein, inner.isa, n, 1, false, {}, {std::move(inner)}};
}

std::string to_text(const AxisRecipe& recipe) {
  const std::string isa = std::string(codelet::to_string(recipe.isa)) + ":";
  const std::string groups =
      "," + std::to_string(recipe.groups) + (recipe.stream ? ",stream" : "") + ")";
  switch (recipe.type) {
    case AxisRecipe::Type::lanes: return isa + "lanes(" + to_text(recipe.lane[0]) + groups;
    case AxisRecipe::Type::lines: return isa + "lines(" + std::to_string(recipe.n) + ")";
    case AxisRecipe::Type::real_kernel:
      return isa + "real_kernel(" + std::to_string(recipe.n) + ")";
    case AxisRecipe::Type::four_step:
      return isa + "four_step(" + to_text(recipe.lane[0]) + "," + to_text(recipe.lane[1]) + ")";
    case AxisRecipe::Type::large:
      return isa + "large(" + to_text(recipe.lane[0]) + "," + to_text(recipe.lane[1]) + groups;
    case AxisRecipe::Type::rader:
      return "line_rader(" + std::to_string(recipe.n) + "," + to_text(recipe.inner[0]) + ")";
    case AxisRecipe::Type::bluestein:
      return "line_bluestein(" + std::to_string(recipe.n) + "," + to_text(recipe.inner[0]) + ")";
  }
  return {};
}

namespace {

[[noreturn]] void bad_text(std::string_view text) {
  throw Error(ErrorCode::wisdom, "a recipe reads '" + std::string(text.substr(0, 40)) +
                                     "', which is not in weft's grammar; delete the wisdom file");
}
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}
void expect(std::string_view& text, std::string_view word) {
  if (!take(text, word)) bad_text(text);
}
Index parse_number(std::string_view& text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 1) bad_text(text);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}
int parse_groups(std::string_view& text) {
  const Index groups = parse_number(text);
  if (groups > 1024) bad_text(text);
  return static_cast<int>(groups);
}

AxisRecipe parse_convolution(std::string_view& text, bool is_rader) {
  const Index n = parse_number(text);
  expect(text, ",");
  AxisRecipe inner = parse_axis_recipe(text);
  expect(text, ")");
  if (is_rader ? inner.n != n - 1 : inner.n < 2 * n - 1) bad_text(text);
  return is_rader ? axis_rader(n, std::move(inner)) : axis_bluestein(n, std::move(inner));
}

codelet::Isa parse_isa(std::string_view& text) {
  using codelet::Isa;
  for (Isa isa : {Isa::scalar, Isa::neon, Isa::avx2, Isa::avx512})
    if (take(text, std::string(codelet::to_string(isa)) + ":")) return isa;
  bad_text(text);
}

}  // namespace

AxisRecipe parse_axis_recipe(std::string_view& text) {
  if (take(text, "line_rader(")) return parse_convolution(text, true);
  if (take(text, "line_bluestein(")) return parse_convolution(text, false);
  const codelet::Isa isa = parse_isa(text);
  AxisRecipe recipe;
  if (take(text, "lanes(")) {
    LaneRecipe lane = parse_lane_recipe(text);
    expect(text, ",");
    recipe = axis_lanes(isa, std::move(lane), parse_groups(text));
    recipe.stream = take(text, ",stream");
  } else if (take(text, "lines(")) {
    recipe = axis_lines(isa, parse_number(text));
    if (line_kernel(recipe, Precision::f64) == nullptr &&
        line_kernel(recipe, Precision::f32) == nullptr)
      bad_text(text);
  } else if (take(text, "real_kernel(")) {
    recipe = axis_real_kernel(isa, parse_number(text));
  } else if (take(text, "four_step(")) {
    LaneRecipe columns = parse_lane_recipe(text);
    expect(text, ",");
    recipe = axis_four_step(isa, std::move(columns), parse_lane_recipe(text));
  } else if (take(text, "large(")) {
    LaneRecipe columns = parse_lane_recipe(text);
    expect(text, ",");
    LaneRecipe rows = parse_lane_recipe(text);
    expect(text, ",");
    recipe = axis_large(isa, std::move(columns), std::move(rows), parse_groups(text));
    recipe.stream = take(text, ",stream");
  } else {
    bad_text(text);
  }
  expect(text, ")");
  return recipe;
}

const codelet::Kernel* line_kernel(const AxisRecipe& recipe, Precision precision) {
  if (recipe.n > 4096) return nullptr;
  return codelet::find_kernel({.isa = recipe.isa,
                               .precision = precision,
                               .radix = static_cast<int>(recipe.n),
                               .in = codelet::Layout::line,
                               .out = codelet::Layout::line});
}

namespace {

/// Operations of the kernel on all lanes of its registers.
double line_flops(const AxisRecipe& recipe) {
  for (Precision precision : {Precision::f64, Precision::f32})
    if (const codelet::Kernel* kernel = line_kernel(recipe, precision)) {
      const codelet::OperationCount& count = kernel->count;
      return (count.additions + count.multiplications + 2.0 * count.fused) *
             codelet::lanes(recipe.isa, precision) / codelet::line_shape(kernel->key).lines;
    }
  return 0;
}

}  // namespace

double flops(const AxisRecipe& recipe) {
  const double n = static_cast<double>(recipe.n);
  switch (recipe.type) {
    case AxisRecipe::Type::lines: return line_flops(recipe);
    case AxisRecipe::Type::real_kernel: return 5 * n * std::log2(n + 1);
    case AxisRecipe::Type::lanes: return flops(recipe.lane[0]);
    case AxisRecipe::Type::four_step:
    case AxisRecipe::Type::large:
      return static_cast<double>(recipe.lane[1].n) * flops(recipe.lane[0]) +
             static_cast<double>(recipe.lane[0].n) * flops(recipe.lane[1]) + 6 * n;
    case AxisRecipe::Type::rader: return 2 * flops(recipe.inner[0]) + 6 * n;
    case AxisRecipe::Type::bluestein:
      return 2 * flops(recipe.inner[0]) + 6.0 * static_cast<double>(recipe.inner[0].n) + 12 * n;
  }
  return 0;
}

formula::Formula formula_of(const AxisRecipe& recipe) {
  using namespace formula;
  if (recipe.type == AxisRecipe::Type::lanes) return formula_of(recipe.lane[0]);
  if (recipe.lane.empty()) return dft(recipe.n);
  // n = n1 n2: columns DFT(n1) x I(n2), twiddles, rows, transposition on the way out.
  const Index n1 = recipe.lane[0].n, n2 = recipe.lane[1].n;
  return compose({stride_permutation(recipe.n, n2),
                  tensor({identity(n1), formula_of(recipe.lane[1])}), twiddles(recipe.n, n2),
                  tensor({formula_of(recipe.lane[0]), identity(n2)})});
}

namespace {

std::string radix_words(const LaneRecipe& lane) {
  std::string text = "DFT(" + std::to_string(lane.n) + ")";
  if (lane.type == LaneRecipe::Type::passes && lane.radices.size() <= 1)
    return text + " as one kernel";
  if (lane.type == LaneRecipe::Type::passes)
    return text + " in " + std::to_string(lane.radices.size()) + " kernel passes " + to_text(lane);
  return text + " by " + to_text(lane);
}

}  // namespace

std::string tree_of(const AxisRecipe& recipe, int indent) {
  const std::string pad(static_cast<std::size_t>(indent), ' ');
  const std::string isa = codelet::to_string(recipe.isa);
  switch (recipe.type) {
    case AxisRecipe::Type::lanes:
      return pad + radix_words(recipe.lane[0]) + ", neighbouring transforms side by side (" + isa +
             (recipe.groups > 1 ? ", " + std::to_string(recipe.groups) + " registers wide" : "") +
             (recipe.stream ? ", stored past the caches" : "") + ")\n";
    case AxisRecipe::Type::lines:
      return pad + "DFT(" + std::to_string(recipe.n) +
             ") as one kernel, vectors within each contiguous line (" + isa + ")\n";
    case AxisRecipe::Type::real_kernel:
      return pad + "one real kernel, neighbouring transforms side by side (" + isa + ")\n";
    case AxisRecipe::Type::four_step:
    case AxisRecipe::Type::large: {
      const bool large = recipe.type == AxisRecipe::Type::large;
      return pad + "DFT(" + std::to_string(recipe.n) + ") as a " +
             std::to_string(recipe.lane[0].n) + " x " + std::to_string(recipe.lane[1].n) +
             " matrix, " + (large ? "two passes over memory" : "in cache") + " (" + isa +
             (recipe.stream ? ", stored past the caches" : "") + ")\n" + pad +
             "  columns: " + radix_words(recipe.lane[0]) + ", then twiddles\n" + pad +
             "  rows:    " + radix_words(recipe.lane[1]) + ", stored transposed\n";
    }
    case AxisRecipe::Type::rader:
      return pad + "DFT(" + std::to_string(recipe.n) + ") by Rader: a convolution of length " +
             std::to_string(recipe.inner[0].n) + "\n" + tree_of(recipe.inner[0], indent + 2);
    case AxisRecipe::Type::bluestein:
      return pad + "DFT(" + std::to_string(recipe.n) + ") by Bluestein: a convolution of length " +
             std::to_string(recipe.inner[0].n) + "\n" + tree_of(recipe.inner[0], indent + 2);
  }
  return {};
}

}  // namespace weft::local
