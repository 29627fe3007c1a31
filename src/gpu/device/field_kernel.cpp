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

// splitmix64 over the words, then Box and Muller. In double precision whatever the fields are.
constexpr const char* random_numbers = R"(
#ifdef __CUDACC__
#define WEFT_DOUBLE(name) name
#else
#define WEFT_DOUBLE(name) __builtin_##name
#endif
__device__ __forceinline__ unsigned long long mixed(unsigned long long x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}
__device__ __forceinline__ double uniform_of(unsigned long long bits) {
  return ((double)(bits >> 11) + 0.5) * 1.1102230246251565e-16;
}
__device__ __forceinline__ unsigned long long word_of(Real x) { return (unsigned long long)(long long)x; }
__device__ __forceinline__ Complex normal_of(Real a, Real b, Real c) {
  const unsigned long long bits = mixed(mixed(mixed(word_of(a)) ^ word_of(b)) ^ word_of(c));
  const double radius = WEFT_DOUBLE(sqrt)(-2 * WEFT_DOUBLE(log)(uniform_of(mixed(bits))));
  const double angle = 6.283185307179586477 * uniform_of(mixed(~bits));
  return {Real(radius * WEFT_DOUBLE(cos)(angle)), Real(radius * WEFT_DOUBLE(sin)(angle))};
}
)";

// The weights of a cubic spline's four coefficients for a point `t` after the second, and where the
// first of them is.
constexpr const char* spline_weights = R"(
__device__ __forceinline__ long long spline_weights(Real x, Real n, Real* w) {
  const Real within = x - n * WEFT_MATH(floor)(x / n), first = WEFT_MATH(floor)(within);
  const Real t = within - first, s = 1 - t;
  w[0] = s * s * s / 6;
  w[1] = (4 - 6 * t * t + 3 * t * t * t) / 6;
  w[2] = (4 - 6 * s * s + 3 * s * s * s) / 6;
  w[3] = t * t * t / 6;
  // Rounding may lead to n itself; what is not a number must not lead anywhere.
  const long long begin = first >= 0 && first < n ? (long long)first - 1 : -1;
  return begin < 0 ? begin + (long long)n : begin;
}
)";

/// `spline_of(mode, field, distances...)`, of periodic fields.
std::string emit_spline(const FieldGrid& grid, int axes) {
  if (axes == 0) return "";
  std::string text = spline_weights;
  text += "__device__ __forceinline__ Real spline_of(const Mode& mode, int field";
  for (int d = 0; d < axes; ++d) text += weft::format(", Real d{}", d);
  text += ") {\n  const StoredReal* c = (const StoredReal*)mode.in[field];\n";
  for (int d = 0; d < axes; ++d)
    text += weft::format(
        "  Real w{0}[4];\n  const long long i{0} = spline_weights(Real(mode.index[{0}]) - d{0}, "
        "Real({1}), w{0});\n",
        d, grid.modes.extents[at(d)]);
  for (int d = 0; d < axes; ++d)
    text += weft::format(
        "  Real s{0} = 0;\n  for (int a{0} = 0; a{0} < 4; ++a{0}) {{\n"
        "  const long long o{0} = {1}(i{0} + a{0} < {2} ? i{0} + a{0} : i{0} + a{0} - {2}) * "
        "{3}ll;\n",
        d, d == 0 ? std::string() : weft::format("o{} + ", d - 1), grid.modes.extents[at(d)],
        grid.in_strides[at(d)]);
  text += weft::format("  s{0} += w{0}[a{0}] * load(c + o{0}).re;\n  }}\n", axes - 1);
  for (int d = axes - 1; d-- > 0;)
    text += weft::format("  s{0} += w{0}[a{0}] * s{1};\n  }}\n", d, d + 1);
  return text + "  return s0;\n}\n";
}

/// `apply(a, i, u, out)`: loads the inputs of element i, changes them and says where outputs go.
std::string emit_apply(const FieldGrid& grid, const ModeFunctionText& function,
                       Precision precision) {
  ModeFunctionText with_words = function;
  with_words.definition =
      random_numbers + emit_spline(grid, function.spline_axes) + function.definition;
  std::string text = "// weft: a function of fields\n" + emit_numbers(precision) +
                     emit_arithmetic() + emit_mode_function(grid.modes, with_words, precision);
  text += weft::format(
      "struct Arguments {{ const void* in[{0}]; void* out[{0}]; double parameters[{0}]; "
      "double* partials; long long folds; }};\nusing Stored = {1};\n",
      static_cast<int>(most_fields), grid.is_complex ? "StoredComplex" : "StoredReal");
  text +=
      "__device__ __forceinline__ long long apply(const Arguments& a, long long i, Complex* u) {\n"
      "  Mode mode;\n";
  if (function.is_of_fields) text += "  mode.parameters = a.parameters;\n  mode.in = a.in;\n";
  const bool is_plain = is_dense(grid, grid.in_strides) && is_dense(grid, grid.out_strides);
  if (function.reads_waves || function.reads_places || function.spline_axes > 0 || !is_plain) {
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
  for (std::size_t a = 0; function.reads_places && a < grid.places.size(); ++a)
    text += weft::format("  mode.x[{}] = Real(mode.index[{}]) * {};\n", a, grid.places[a].dimension,
                         number_text(grid.places[a].step));
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
