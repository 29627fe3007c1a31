// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device/field_kernel.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/index.hpp"
#include "gpu/emit/emit_preamble.hpp"

namespace weft::gpu {
namespace {

/// The axis that is transformed along a dimension, -1: none.
int axis_of(const FieldGrid& grid, std::size_t dimension) {
  for (std::size_t a = 0; a < grid.modes.axes.size(); ++a)
    if (at(grid.modes.axes[a].dimension) == dimension) return static_cast<int>(a);
  return -1;
}

/// Which indices of a dimension are computed: 0 to low - 1, and those from low + gap on.
struct Kept {
  Index count, low, gap;
};
Kept kept(const FieldGrid& grid, std::size_t dimension) {
  const Index extent = grid.modes.extents[dimension];
  const int axis = axis_of(grid, dimension);
  if (axis < 0 || grid.cutoff.empty()) return {extent, extent, 0};
  const Index cutoff = grid.cutoff[at(axis)], n = grid.modes.axes[at(axis)].n;
  if (extent < n) return {std::min(cutoff + 1, extent), extent, 0};
  if (2 * cutoff + 1 >= n) return {extent, extent, 0};
  return {2 * cutoff + 1, cutoff + 1, n - (2 * cutoff + 1)};
}

bool is_dense(const FieldGrid& grid, const std::vector<Index>& strides) {
  return grid.extents() == grid.modes.extents && strides == grid.modes.strides();
}

std::string offset_text(const FieldGrid& grid, const char* name,
                        const std::vector<Index>& strides) {
  if (is_dense(grid, strides)) return weft::format("  const long long {} = i;\n", name);
  std::string text = weft::format("  const long long {} = 0", name);
  for (std::size_t d = 0; d < strides.size(); ++d)
    text += weft::format(" + {}ll * mode.index[{}]", strides[d], d);
  return text + ";\n";
}

/// `apply(a, i, u, out)`: loads the inputs of element i, changes them and says where outputs go.
std::string emit_apply(const FieldGrid& grid, const ModeFunctionText& function,
                       Precision precision) {
  std::string text = "// weft: a function of fields\n" + emit_numbers(precision) +
                     emit_arithmetic() + emit_mode_function(grid.modes, function, precision);
  text += weft::format(
      "struct Arguments {{ const void* in[{0}]; void* out[{0}]; double parameters[{0}]; "
      "double* partials; long long folds; }};\nusing Stored = {1};\n",
      static_cast<int>(most_fields), grid.is_complex ? "StoredComplex" : "StoredReal");
  text +=
      "__device__ __forceinline__ long long apply(const Arguments& a, long long i, Complex* u) {\n"
      "  Mode mode;\n";
  if (function.reads_parameters) text += "  mode.parameters = a.parameters;\n";
  const bool is_plain = is_dense(grid, grid.in_strides) && is_dense(grid, grid.out_strides);
  if (function.reads_waves || !is_plain) {
    text += "  ModePlace rest = ModePlace(i);\n";
    for (std::size_t d = grid.modes.extents.size(); d-- > 0;) {
      const Kept indices = kept(grid, d);
      text += weft::format("  mode.index[{0}] = rest % {1};\n  rest /= {1};\n", d, indices.count);
      if (indices.gap > 0)
        text += weft::format("  if (mode.index[{0}] >= {1}) mode.index[{0}] += {2};\n", d,
                             indices.low, indices.gap);
    }
  }
  if (function.reads_waves)
    for (std::size_t a = 0; a < grid.modes.axes.size(); ++a)
      text +=
          wave_text(grid.modes, a, weft::format("mode.index[{}]", grid.modes.axes[a].dimension));
  text += offset_text(grid, "from", grid.in_strides) + offset_text(grid, "to", grid.out_strides);
  for (int f = 0; f < std::max(function.inputs, function.outputs); ++f)
    text += f < function.inputs
                ? weft::format("  u[{0}] = load((const Stored*)a.in[{0}] + from);\n", f)
                : weft::format("  u[{}] = Complex{{0, 0}};\n", f);
  return text + "  change(mode, nullptr, u);\n  return to;\n}\n";
}

std::string fields_text(const ModeFunctionText& function) {
  return weft::format("  Complex u[{}];\n", std::max(function.inputs, function.outputs));
}

/// `fold(x, y)`. Whatever is not a number stays.
const char* fold_text(Fold fold) {
  return fold == Fold::sum
             ? "__device__ __forceinline__ double nothing() { return 0; }\n"
               "__device__ __forceinline__ double fold(double x, double y) { return x + y; }\n"
             : "__device__ __forceinline__ double nothing() { return -1.7976931348623157e308; }\n"
               "__device__ __forceinline__ double fold(double x, double y) {\n"
               "  return y > x || y != y ? y : x;\n}\n";
}

}  // namespace

std::vector<Index> FieldGrid::extents() const {
  std::vector<Index> result;
  for (std::size_t d = 0; d < modes.extents.size(); ++d) result.push_back(kept(*this, d).count);
  return result;
}
Index FieldGrid::count() const {
  Index count = 1;
  for (const Index extent : extents()) count *= extent;
  return count;
}

std::string emit_field_kernel(const FieldGrid& grid, const ModeFunctionText& function,
                              Precision precision) {
  std::string text = emit_apply(grid, function, precision) +
                     "__device__ __forceinline__ void treat(const Arguments& a, long long i) {\n" +
                     fields_text(function) + "  const long long to = apply(a, i, u);\n";
  for (int f = 0; f < function.outputs; ++f)
    text += weft::format("  store((Stored*)a.out[{0}] + to, u[{0}]);\n", f);
  return text + "}\n";
}

std::string emit_fold_kernel(const FieldGrid& grid, const ModeFunctionText& function,
                             Precision precision, Fold fold) {
  std::string text =
      emit_apply(grid, function, precision) + fold_text(fold) +
      "__device__ __forceinline__ void treat(const Arguments& a, long long first) {\n" +
      weft::format("  double all[{}];\n", function.outputs);
  for (int f = 0; f < function.outputs; ++f) text += weft::format("  all[{}] = nothing();\n", f);
  text += weft::format("  for (long long i = first; i < {}ll; i += a.folds) {{\n", grid.count()) +
          fields_text(function) + "  apply(a, i, u);\n";
  for (int f = 0; f < function.outputs; ++f)
    text += weft::format("  all[{0}] = fold(all[{0}], double(u[{0}].re));\n", f);
  text += "  }\n";
  for (int f = 0; f < function.outputs; ++f)
    text += weft::format("  a.partials[{0} * a.folds + first] = all[{0}];\n", f);
  return text + "}\n";
}

std::string emit_second_fold(Fold fold) {
  return std::string("// weft: sums of sums\n") + fold_text(fold) +
         "struct Arguments { const double* from; double* to; long long folds, kept; };\n"
         "__device__ __forceinline__ void treat(const Arguments& a, long long i) {\n"
         "  const double* from = a.from + i / a.kept * a.folds;\n"
         "  double all = nothing();\n"
         "  for (long long j = i % a.kept; j < a.folds; j += a.kept) all = fold(all, from[j]);\n"
         "  a.to[i] = all;\n}\n";
}

}  // namespace weft::gpu
