// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/emit/mode_text.hpp"

#include <cmath>

#include "base/format.hpp"
#include "base/index.hpp"

namespace weft::gpu {
namespace {

constexpr const char* mode_functions = R"(
#ifdef __CUDACC__
#define WEFT_MATH(name) name##@SUFFIX@
#else
#define WEFT_MATH(name) __builtin_##name##@SUFFIX@
#endif
__device__ __forceinline__ Real infinity() { return Real(WEFT_INFINITY); }
__device__ __forceinline__ Complex divided(Complex a, Complex b) {
  const Real norm = fma(b.re, b.re, b.im * b.im);
  return {fma(a.re, b.re, a.im * b.im) / norm, fma(a.im, b.re, -(a.re * b.im)) / norm};
}
__device__ __forceinline__ Complex exp_of(Complex x) {
  const Real size = WEFT_MATH(exp)(x.re);
  return {size * WEFT_MATH(cos)(x.im), size * WEFT_MATH(sin)(x.im)};
}
__device__ __forceinline__ Complex sin_of(Complex x) {
  return {WEFT_MATH(sin)(x.re) * WEFT_MATH(cosh)(x.im), WEFT_MATH(cos)(x.re) * WEFT_MATH(sinh)(x.im)};
}
__device__ __forceinline__ Complex cos_of(Complex x) {
  return {WEFT_MATH(cos)(x.re) * WEFT_MATH(cosh)(x.im), -(WEFT_MATH(sin)(x.re) * WEFT_MATH(sinh)(x.im))};
}
/// The root with a real part that is not negative.
__device__ __forceinline__ Complex sqrt_of(Complex x) {
  const Real larger = WEFT_MATH(sqrt)((WEFT_MATH(hypot)(x.re, x.im) + WEFT_MATH(fabs)(x.re)) / 2);
  if (larger == 0) return {0, x.im};
  const Real smaller = x.im / (2 * larger);
  if (x.re >= 0) return {larger, smaller};
  return {WEFT_MATH(fabs)(smaller), WEFT_MATH(copysign)(larger, x.im)};
}
)";

Index product_of(const std::vector<Index>& extents) {
  Index count = 1;
  for (const Index extent : extents) count *= extent;
  return count;
}

std::vector<Index> row_major(const std::vector<Index>& extents) {
  std::vector<Index> strides(extents.size());
  Index stride = 1;
  for (std::size_t d = extents.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= extents[d];
  }
  return strides;
}

bool is_far(const ModeGrid& grid) {
  return product_of(grid.has_other_places() ? grid.whole : grid.extents) > 0x3fffffff;
}

}  // namespace

Index ModeGrid::count() const { return product_of(extents); }
std::vector<Index> ModeGrid::strides() const { return row_major(extents); }
Index ModeGrid::begin_of(int dimension) const { return begin.empty() ? 0 : begin[at(dimension)]; }
bool ModeGrid::is_halved(const Axis& axis) const {
  return (whole.empty() ? extents : whole)[at(axis.dimension)] < axis.n;
}
std::vector<Index> ModeGrid::place_strides() const {
  return row_major(has_other_places() ? whole : extents);
}

ModeGrid part_of(const ModeGrid& whole, const Box& box) {
  ModeGrid part = whole;
  part.whole = whole.extents;
  part.extents = box.extents();
  part.begin.assign(box.begin.begin(), box.begin.begin() + box.ndim);
  return part;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "(infinity() - infinity())";
  if (std::isinf(value)) return value > 0 ? "infinity()" : "(-infinity())";
  return weft::format("constant({:.17g})", value);
}

std::string emit_mode_function(const ModeGrid& grid, const ModeFunctionText& function,
                               Precision precision) {
  std::string text;
  // Literals: neither side has <limits>.
  text +=
      "#ifdef __CUDACC__\n#define WEFT_INFINITY __int_as_float(0x7f800000)\n#else\n"
      "#define WEFT_INFINITY __builtin_inf()\n#endif\n";
  std::string functions = mode_functions;
  const std::string mark = "@SUFFIX@", suffix = precision == Precision::f64 ? "" : "f";
  for (std::size_t at = functions.find(mark); at != std::string::npos; at = functions.find(mark))
    functions.replace(at, mark.size(), suffix);
  // name##SUFFIX with an empty suffix is no token to paste.
  if (suffix.empty())
    for (std::size_t at = functions.find("##\n"); at != std::string::npos;
         at = functions.find("##\n"))
      functions.erase(at, 2);
  text += functions;
  text += weft::format("using ModeIndex = {};\nusing ModePlace = {};\n",
                       is_far(grid) ? "long long" : "int", is_far(grid) ? "long long" : "int");
  text += weft::format(
      "struct Mode {{ Real k[{0}], odd[{0}]; ModeIndex index[{1}]; ModePlace place;{2} }};\n",
      std::max<std::size_t>(1, grid.axes.size()), std::max<std::size_t>(1, grid.extents.size()),
      function.is_of_fields ? " const double* parameters; Real x[4]; const void* const* in;" : "");
  return text + function.definition;
}

std::string place_text(const ModeGrid& grid) {
  const std::vector<Index> strides = grid.place_strides();
  std::string text = "  mode.place = ModePlace(0)";
  for (std::size_t d = 0; d < strides.size(); ++d)
    text += weft::format(" + ModePlace(mode.index[{}]) * {}", d, strides[d]);
  return text + ";\n";
}

/// As WaveNumbers has them: modes from the middle on are negative where the axis is whole.
std::string wave_text(const ModeGrid& grid, std::size_t a, const std::string& index) {
  const ModeGrid::Axis& axis = grid.axes[a];
  return weft::format(
      "const ModeIndex i{0} = {1};\n"
      "mode.k[{0}] = {2} * Real({3});\n"
      "mode.odd[{0}] = i{0} == {4} - i{0} ? Real(0) : mode.k[{0}];\n",
      a, index, number_text(axis.step),
      grid.is_halved(axis) ? weft::format("i{}", a)
                           : weft::format("(i{0} < {1} - i{0} ? i{0} : i{0} - {1})", a, axis.n),
      axis.n);
}

}  // namespace weft::gpu
