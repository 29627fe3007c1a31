// SPDX-License-Identifier: BSD-3-Clause
// The formula of a global recipe. The array is a vector in the order of its distribution: rank by
// rank, box by box, each box row-major. A stage is a direct sum over the ranks of I x DFT x I on
// what each of them holds, an exchange is the permutation from one distribution's order to the
// next. The product of all of them is the transform of the array.
#pragma once

#include <string>
#include <vector>

#include "formula/formula.hpp"
#include "global/recipe/recipe.hpp"

namespace weft::global {

struct RecipeFactor {
  enum class Kind {
    stage,     ///< transforms on every rank, and what it multiplies by afterwards
    exchange,  ///< between ranks
    order,     ///< which element of the matrix a point of a line is; nothing moves between ranks
    chirp,     ///< products of a convolution (Bluestein), and the zeros that fill the line up
  };
  Kind kind;
  std::string what;   ///< "transform axes 1 2 on 4x1x1", "exchange 4x1x1 > output"
  std::size_t index;  ///< of the stage, or of the stage before the exchange; a chirp's way back
                      ///< counts from 0 again
  bool is_way_back = false;  ///< stages and exchanges of a chirp's way back
  formula::Formula formula;
};

struct RecipeFormula {
  /// Left to right; the data comes in at the right.
  std::vector<RecipeFactor> factors;
  /// c2r: the real part of the product is the result.
  bool takes_real_part = false;
  /// Half spectra of lines are completed with conjugates: the product can be applied to a vector,
  /// but no complex matrix does that.
  bool conjugates = false;

  formula::Formula product() const;
};

/// Of a recipe that fits the problem; weft::Error (internal) where it does not. Throws weft::Error
/// (unsupported) for arrays with fewer points than the transform, and full spectra of reals. Grows
/// with the number of ranks, not with the array.
RecipeFormula formula_of(const GlobalProblem& problem, const Recipe& recipe);

/// Where a stage works, as recipes are written: "input", "output", "4x1x2".
std::string place_text(const Stage& stage);

/// The product in LaTeX, an underbrace below every factor that says what it is.
std::string print_latex(const RecipeFormula& formula);

}  // namespace weft::global
