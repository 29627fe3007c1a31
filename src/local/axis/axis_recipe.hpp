// SPDX-License-Identifier: BSD-3-Clause
// How all transforms along one axis of an array are done: the second level of the local recipe,
// above lane recipes. A value: printed, parsed, compared, priced.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codelet/runtime/registry.hpp"
#include "local/lane/lane_recipe.hpp"

namespace weft::local {

struct AxisRecipe {
  enum class Type {
    lanes,        ///< V neighbouring transforms side by side, lane[0] of length n
    lines,        ///< one contiguous transform after another, vectors within it, by one kernel
    real_kernel,  ///< V neighbouring real transforms side by side, by one real kernel
    four_step,  ///< one transform at a time, n = n1 n2 in cache: lanes over columns, then over rows
    large,      ///< the same beyond the cache, in two passes over memory
    rader,      ///< one transform at a time, prime n, by inner[0] of length n-1
    bluestein,  ///< one transform at a time, by inner[0] of length >= 2n-1
    real_split,  ///< one real transform of odd n = r m at a time: real kernels of r points, then
                 ///< (r+1)/2 complex lines by inner[0] of length m
    real_rader,  ///< one real transform of odd prime n at a time, by real lines of n-1 points or at
                 ///< least 2n-3, twice the length of inner[0]
  };
  Type type = Type::lanes;
  codelet::Isa isa = codelet::Isa::scalar;
  Index n = 1;
  int groups = 1;                ///< lane groups that run interleaved (lanes, large)
  bool stream = false;           ///< the output goes past the caches (lanes, lines, matrices)
  std::vector<LaneRecipe> lane;  ///< lanes: one; four_step and large: n1 (columns), n2 (rows)
  std::vector<AxisRecipe> inner;
  bool together = false;  ///< all threads work on one line, then on the next (large)
  bool ahead = false;     ///< lines are fetched before they are needed, as streaming ones are
                          ///< (lines, four_step)

  /// r of real_split.
  int split_radix() const { return static_cast<int>(n / inner[0].n); }
  friend bool operator==(const AxisRecipe&, const AxisRecipe&) = default;
};

AxisRecipe axis_lanes(codelet::Isa isa, LaneRecipe lane, int groups = 1, bool stream = false);
AxisRecipe axis_lines(codelet::Isa isa, Index n);
/// `n` is the length of the complex transform by which other recipes do the same problem.
AxisRecipe axis_real_kernel(codelet::Isa isa, Index n);
AxisRecipe axis_four_step(codelet::Isa isa, LaneRecipe columns, LaneRecipe rows);
AxisRecipe axis_large(codelet::Isa isa, LaneRecipe columns, LaneRecipe rows, int groups,
                      bool stream = false, bool together = false);
AxisRecipe axis_rader(Index n, AxisRecipe inner);
AxisRecipe axis_bluestein(Index n, AxisRecipe inner);
AxisRecipe axis_real_split(int radix, AxisRecipe inner);
AxisRecipe axis_real_rader(Index n, AxisRecipe inner);
/// Lines beyond the caches, by lines or four_step: read ahead, or streamed as well.
AxisRecipe read_ahead(AxisRecipe lines);
AxisRecipe streamed(AxisRecipe lines);
inline bool reads_ahead(const AxisRecipe& recipe) {
  using Type = AxisRecipe::Type;
  return (recipe.type == Type::lines || recipe.type == Type::four_step) &&
         (recipe.ahead || recipe.stream);
}

/// The engine that carries a recipe out is not part of it: engine_of() says which, from the recipe
/// and the problem alone.
/// "avx2:lanes(8.16,4)", "avx2:lanes(8.16,4,stream)", "avx2:lines(16)", "avx2:real_kernel(8)",
/// "avx2:lines(16,ahead)", "avx2:four_step(32,32,stream)",
/// "avx2:four_step(32,32)", "avx2:large(64.64,64.64,2,stream,together)",
/// "line_rader(65537,avx2:large(32.8,16.16,2))", "line_bluestein(1021,avx2:four_step(16.8,16))",
/// "real_split(9,avx2:four_step(9.9.9,9))", "real_rader(10007,avx2:four_step(10.10.10,10))".
std::string to_text(const AxisRecipe& recipe);
/// The inverse of to_text; consumes what it reads from `text`. Throws weft::Error (wisdom).
AxisRecipe parse_axis_recipe(std::string_view& text);
/// The recipe as a part of a longer text, printed or read.
void describe(RecipeText& text, AxisRecipe& recipe);

/// The plain forward kernel that axis_lines(isa, n) calls, or nullptr when none is built.
const codelet::CompiledKernel* line_kernel(const AxisRecipe& recipe, Precision precision);
/// The kernel that does a real line of 2n points by itself, or nullptr when none is built.
const codelet::CompiledKernel* real_line_kernel(const AxisRecipe& recipe, Index n,
                                                Precision precision,
                                                codelet::KernelTransform transform, bool scaled);

double flops(const AxisRecipe& recipe);  ///< per transform
formula::Formula formula_of(const AxisRecipe& recipe);
/// Indented lines for people. `way` says in a few words what is done besides the complex transform.
std::string tree_of(const AxisRecipe& recipe, int indent, const std::string& way = {});

}  // namespace weft::local
