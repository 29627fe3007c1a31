// SPDX-License-Identifier: BSD-3-Clause
// How one DFT of length n is done over lanes: V independent transforms side by side in a register.
// A value: it can be printed, parsed, compared. lane_plan.cpp turns it into a list of kernel calls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formula/formula.hpp"
#include "tune/recipe_text.hpp"
#include "weft/types.hpp"

namespace weft::local {

using tune::RecipeText;

struct LaneRecipe {
  enum class Type {
    passes,     ///< Cooley-Tukey with a kernel per pass, in the order they run
    split,      ///< Cooley-Tukey: radices[0] transforms of the inner length, then one kernel pass
    rader,      ///< prime n: cyclic convolution of length n-1 by the inner recipe
    bluestein,  ///< any n: convolution of length inner.n >= 2n-1
  };
  Type type = Type::passes;
  Index n = 1;
  std::vector<int> radices;       // passes: all of them; split: the one kernel
  std::vector<LaneRecipe> inner;  // none for passes, else one

  friend bool operator==(const LaneRecipe&, const LaneRecipe&) = default;
};

LaneRecipe lane_passes(std::vector<int> radices);
LaneRecipe lane_split(int radix, LaneRecipe inner);
LaneRecipe lane_rader(Index n, LaneRecipe inner);
LaneRecipe lane_bluestein(Index n, LaneRecipe inner);

/// "8.16.4", "split(3,rader(1009,16.9.7))": the text form that wisdom keeps.
std::string to_text(const LaneRecipe& recipe);
/// The inverse of to_text; consumes what it reads from `text`. Throws weft::Error (wisdom).
LaneRecipe parse_lane_recipe(std::string_view& text);
/// The recipe as a part of a longer text, printed or read.
void describe(RecipeText& text, LaneRecipe& recipe);

/// Real operations per transform, twiddle multiplications included.
double flops(const LaneRecipe& recipe);
/// The formula that the recipe carries out, kernels left as DFT(r).
formula::Formula formula_of(const LaneRecipe& recipe);

}  // namespace weft::local
