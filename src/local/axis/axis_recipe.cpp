// SPDX-License-Identifier: BSD-3-Clause
#include "local/axis/axis_recipe.hpp"

#include <cmath>

#include "codelet/dense/dense_lines.hpp"
#include "codelet/ir/line_kernel.hpp"
#include "codelet/runtime/names.hpp"

namespace weft::local {

AxisRecipe axis_lanes(codelet::Isa isa, LaneRecipe lane, int groups, bool stream) {
  const Index n = lane.n;
  return {AxisRecipe::Type::lanes, isa, n, groups, stream, {std::move(lane)}, {}, false, false};
}
AxisRecipe axis_lines(codelet::Isa isa, Index n) {
  return {AxisRecipe::Type::lines, isa, n, 1, false, {}, {}, false, false};
}
AxisRecipe axis_real_kernel(codelet::Isa isa, Index n) {
  return {AxisRecipe::Type::real_kernel, isa, n, 1, false, {}, {}, false, false};
}
AxisRecipe axis_four_step(codelet::Isa isa, LaneRecipe columns, LaneRecipe rows) {
  const Index n = columns.n * rows.n;
  return {AxisRecipe::Type::four_step,           isa, n,     1,    false,
          {std::move(columns), std::move(rows)}, {},  false, false};
}
AxisRecipe axis_large(codelet::Isa isa, LaneRecipe columns, LaneRecipe rows, int groups,
                      bool stream, bool together) {
  const Index n = columns.n * rows.n;
  return {AxisRecipe::Type::large,
          isa,
          n,
          groups,
          stream,
          {std::move(columns), std::move(rows)},
          {},
          together,
          false};
}
AxisRecipe axis_rader(Index n, AxisRecipe inner) {
  return {AxisRecipe::Type::rader, inner.isa, n, 1, false, {}, {std::move(inner)}, false, false};
}
AxisRecipe axis_bluestein(Index n, AxisRecipe inner) {
  return {AxisRecipe::Type::bluestein, inner.isa, n,    1, false, {},
          {std::move(inner)},          false,     false};
}
AxisRecipe axis_real_split(int radix, AxisRecipe inner) {
  const Index n = radix * inner.n;
  return {AxisRecipe::Type::real_split, inner.isa, n,    1, false, {},
          {std::move(inner)},           false,     false};
}
AxisRecipe axis_real_rader(Index n, AxisRecipe inner) {
  return {AxisRecipe::Type::real_rader, inner.isa, n,    1, false, {},
          {std::move(inner)},           false,     false};
}

AxisRecipe read_ahead(AxisRecipe lines) {
  lines.ahead = true;
  return lines;
}
AxisRecipe streamed(AxisRecipe lines) {
  lines.stream = true;
  return lines;
}

namespace {

using Way = AxisRecipe::Type;

constexpr tune::Name<Way> convolution_names[] = {{Way::rader, "line_rader("},
                                                 {Way::bluestein, "line_bluestein("},
                                                 {Way::real_split, "real_split("},
                                                 {Way::real_rader, "real_rader("}};
constexpr tune::Name<Way> way_names[] = {{Way::lanes, "lanes("},
                                         {Way::lines, "lines("},
                                         {Way::real_kernel, "real_kernel("},
                                         {Way::four_step, "four_step("},
                                         {Way::large, "large("}};
constexpr tune::Name<codelet::Isa> isa_names[] = {{codelet::Isa::scalar, "scalar:"},
                                                  {codelet::Isa::neon, "neon:"},
                                                  {codelet::Isa::avx2, "avx2:"},
                                                  {codelet::Isa::avx512, "avx512:"}};

/// "9,avx2:four_step(9.9.9,9)".
void describe_real_split(RecipeText& text, AxisRecipe& recipe) {
  int radix = text.is_reading() ? 0 : recipe.split_radix();
  text.number(radix, 2, tune::largest_radix);
  text.word(",");
  recipe.inner.resize(1);
  describe(text, recipe.inner[0]);
  if (!text.is_reading()) return;
  recipe.n = text.product(radix, recipe.inner[0].n);
  recipe.isa = recipe.inner[0].isa;
}

/// Of n - 1 real points, or padded; inner[0] has half as many complex ones.
bool is_real_convolution(const AxisRecipe& recipe) {
  const Index n = recipe.n, m = recipe.inner[0].n;
  return n > 2 && (m == (n - 1) / 2 || m >= n - 1);
}

/// "65537,avx2:large(32.8,16.16,2)".
void describe_convolution(RecipeText& text, AxisRecipe& recipe) {
  const bool is_rader = recipe.type != Way::bluestein;
  recipe.inner.resize(1);
  AxisRecipe& inner = recipe.inner[0];
  text.number(recipe.n, is_rader ? 2 : 1, tune::longest_transform);
  text.word(",");
  describe(text, inner);
  if (!text.is_reading()) return;
  if (recipe.type == Way::real_rader ? !is_real_convolution(recipe)
      : is_rader                     ? inner.n != recipe.n - 1
                                     : inner.n < 2 * recipe.n - 1)
    text.fail(
        is_rader ? "Rader's convolution has n - 1 points; of real lines it may have 2 n - 3 or more"
                 : "Bluestein's convolution has 2 n - 1 points or more");
  recipe.isa = inner.isa;
}

/// "8.16", or "COLUMNS,ROWS", and their product.
void describe_lanes(RecipeText& text, AxisRecipe& recipe) {
  recipe.lane.resize(recipe.type == Way::lanes ? 1 : 2);
  Index n = 1;
  for (std::size_t i = 0; i < recipe.lane.size(); ++i) {
    if (i > 0) text.word(",");
    describe(text, recipe.lane[i]);
    if (text.is_reading()) n = text.product(n, recipe.lane[i].n);
  }
  if (text.is_reading()) recipe.n = n;
}

void describe_arguments(RecipeText& text, AxisRecipe& recipe) {
  const bool is_one_kernel = recipe.type == Way::lines || recipe.type == Way::real_kernel;
  if (is_one_kernel)
    text.number(recipe.n, 1, tune::longest_transform);
  else
    describe_lanes(text, recipe);
  if (recipe.type == Way::lines || recipe.type == Way::four_step) {
    text.flag(",ahead", recipe.ahead);
    return text.flag(",stream", recipe.stream);
  }
  if (is_one_kernel) return;
  text.word(",");
  text.number(recipe.groups, 1, tune::most_groups);
  text.flag(",stream", recipe.stream);
  if (recipe.type == Way::large) text.flag(",together", recipe.together);
}

}  // namespace

void describe(RecipeText& text, AxisRecipe& recipe) {
  const RecipeText::Level level(text);
  if (text.one_of<Way>(convolution_names, recipe.type)) {
    if (recipe.type == Way::real_split)
      describe_real_split(text, recipe);
    else
      describe_convolution(text, recipe);
  } else {
    text.name<codelet::Isa>(isa_names, recipe.isa, "an instruction set");
    text.name<Way>(way_names, recipe.type, "a way to transform, such as 'lanes('");
    describe_arguments(text, recipe);
  }
  text.word(")");
}

std::string to_text(const AxisRecipe& recipe) {
  return tune::print_recipe(recipe, [](RecipeText& text, AxisRecipe& r) { describe(text, r); });
}

AxisRecipe parse_axis_recipe(std::string_view& text) {
  RecipeText reader(text);
  AxisRecipe recipe;
  describe(reader, recipe);
  text = reader.rest();
  return recipe;
}

const codelet::CompiledKernel* line_kernel(const AxisRecipe& recipe, Precision precision) {
  if (recipe.n > 4096) return nullptr;
  return codelet::find_kernel({.isa = recipe.isa,
                               .precision = precision,
                               .radix = static_cast<int>(recipe.n),
                               .in = codelet::KernelLayout::line,
                               .out = codelet::KernelLayout::line});
}

const codelet::CompiledKernel* real_line_kernel(const AxisRecipe& recipe, Index n,
                                                Precision precision,
                                                codelet::KernelTransform transform, bool scaled) {
  if (n > 4096) return nullptr;
  return codelet::find_kernel({.isa = recipe.isa,
                               .precision = precision,
                               .radix = static_cast<int>(n),
                               .in = codelet::KernelLayout::line,
                               .out = codelet::KernelLayout::line,
                               .scaled = scaled,
                               .transform = transform});
}

namespace {

int reals_of(const codelet::KernelKey& key) {
  return codelet::is_dense_line(key) ? codelet::lanes(key.isa, key.precision)
                                     : codelet::register_reals(key);
}

/// Operations of the kernel on all lanes of its registers. Some lengths have only a real kernel.
double line_flops(const AxisRecipe& recipe) {
  for (Precision precision : {Precision::f64, Precision::f32}) {
    const codelet::CompiledKernel* kernel = line_kernel(recipe, precision);
    if (kernel == nullptr)
      kernel = real_line_kernel(recipe, 2 * recipe.n, precision,
                                codelet::KernelTransform::real_forward, false);
    if (kernel == nullptr) continue;
    const codelet::OperationCount& count = kernel->count;
    return (count.additions + count.multiplications + 2.0 * count.fused) * reals_of(kernel->key) /
           codelet::lines_of(kernel->key);
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
    case AxisRecipe::Type::real_split: {
      const double r = recipe.split_radix(), lines = (r + 1) / 2;
      return lines * (flops(recipe.inner[0]) + 6 * n / r) + n * (1.5 * r + 1.5);
    }
    case AxisRecipe::Type::real_rader:
      return 2 * flops(recipe.inner[0]) + 22.0 * static_cast<double>(recipe.inner[0].n) + 3 * n;
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

std::string tree_of(const AxisRecipe& recipe, int indent, const std::string& way) {
  const std::string pad(static_cast<std::size_t>(indent), ' ');
  const std::string isa = codelet::to_string(recipe.isa) + (way.empty() ? way : ", " + way);
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
             (recipe.stream ? ", stored past the caches" : "") +
             (recipe.together ? ", all threads on one line" : "") + ")\n" + pad +
             "  columns: " + radix_words(recipe.lane[0]) + ", then twiddles\n" + pad +
             "  rows:    " + radix_words(recipe.lane[1]) + ", stored transposed\n";
    }
    case AxisRecipe::Type::rader:
      return pad + "DFT(" + std::to_string(recipe.n) + ") by Rader: a convolution of length " +
             std::to_string(recipe.inner[0].n) + (way.empty() ? way : " (" + way + ")") + "\n" +
             tree_of(recipe.inner[0], indent + 2);
    case AxisRecipe::Type::real_split:
      return pad + "real kernels of " + std::to_string(recipe.split_radix()) +
             " points, twiddles, then " + std::to_string((recipe.split_radix() + 1) / 2) +
             " complex lines (" + isa + ")\n" + tree_of(recipe.inner[0], indent + 2);
    case AxisRecipe::Type::real_rader:
      return pad + "Hartley transform of " + std::to_string(recipe.n) +
             " points by Rader: a real convolution of length " +
             std::to_string(2 * recipe.inner[0].n) + " (" + isa + ")\n" +
             tree_of(recipe.inner[0], indent + 2);
    case AxisRecipe::Type::bluestein:
      return pad + "DFT(" + std::to_string(recipe.n) + ") by Bluestein: a convolution of length " +
             std::to_string(recipe.inner[0].n) + (way.empty() ? way : " (" + way + ")") + "\n" +
             tree_of(recipe.inner[0], indent + 2);
  }
  return {};
}

}  // namespace weft::local
